package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// systems are the targets, as GOOS/GOARCH.
const systems = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	o := map[string]string{"output": "", "targets": systems, "commit": "HEAD", "fresh": "false"}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if _, known := o[name]; !known {
			return fmt.Errorf("%q: parameters are output=, targets=, commit= and fresh=", arg)
		}
		o[name] = value
	}
	if o["output"] == "" {
		return fmt.Errorf("output= is missing: the folder for the archives")
	}
	if err := os.MkdirAll(o["output"], 0o777); err != nil {
		return err
	}
	c, err := checkOut(o["commit"], o["fresh"] == "true")
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, c.remove()) }()
	var sums strings.Builder
	for _, target := range strings.Split(o["targets"], ",") {
		name, content, err := c.release(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := os.WriteFile(filepath.Join(o["output"], name), content, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		fmt.Printf("%s: %d bytes, built twice with the same bytes\n", name, len(content))
	}
	return os.WriteFile(filepath.Join(o["output"], "SHA256SUMS"), []byte(sums.String()), 0o666)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// release returns the archive of a target, as GOOS/GOARCH.
func (c *checkout) release(target string) (name string, content []byte, err error) {
	system, cpu, ok := strings.Cut(target, "/")
	if !ok {
		return "", nil, fmt.Errorf("want GOOS/GOARCH, such as linux/amd64")
	}
	program, err := c.buildTwice(system, cpu)
	if err != nil {
		return "", nil, err
	}
	files, err := c.files(program, system)
	if err != nil {
		return "", nil, err
	}
	name = fmt.Sprintf("lambdamart_%s_%s_%s", strings.TrimPrefix(c.version, "v"), system, cpu)
	if system == "windows" {
		content, err = zipped(name, files, c.time)
		return name + ".zip", content, err
	}
	content, err = tarred(name, files, c.time)
	return name + ".tar.gz", content, err
}

// files returns the files of an archive.
func (c *checkout) files(program []byte, system string) ([]file, error) {
	modules, err := modulesOf(program)
	if err != nil {
		return nil, err
	}
	licenses, err := c.licenses(modules)
	if err != nil {
		return nil, err
	}
	bill, err := billOfMaterials(c.version, c.time, modules)
	if err != nil {
		return nil, err
	}
	name := "lambdamart"
	if system == "windows" {
		name += ".exe"
	}
	files := []file{{name, program, true}, {"LICENSES.txt", licenses, false}, {"sbom.cdx.json", bill, false}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		content, err := os.ReadFile(filepath.Join(c.folders[0], name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, content, false})
	}
	return files, nil
}
