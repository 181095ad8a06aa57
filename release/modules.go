package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// module is a module in a program. Go itself is one, with the path "std".
type module struct {
	path, version string
	sum           string // checksum from go.sum; empty for Go itself
}

// modulesOf returns the modules in a program, as the linker recorded them.
func modulesOf(program []byte) ([]module, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, err
	}
	modules := []module{{path: "std", version: info.GoVersion}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced by %s", d.Path, d.Replace.Path)
		}
		modules = append(modules, module{d.Path, d.Version, d.Sum})
	}
	return modules, nil
}

// licenseFile matches the names of files with licenses and the notices that go with them.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\..*)?$`)

// folder returns the folder of a module's files. The modules of a program are in the module cache after it
// was built.
func (c *checkout) folder(m module) (string, error) {
	if m.path == "std" {
		return output(c.folders[0], nil, "go", "env", "GOROOT")
	}
	return output(c.folders[0], nil, "go", "list", "-m", "-f", "{{.Dir}}", m.path)
}

// licenses returns the texts of the licenses of all modules.
func (c *checkout) licenses(modules []module) ([]byte, error) {
	var b bytes.Buffer
	for _, m := range modules {
		folder, err := c.folder(m)
		if err != nil {
			return nil, err
		}
		texts, err := licensesIn(folder)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		fmt.Fprintf(&b, "%s\n%s %s\n%[1]s\n", strings.Repeat("=", 80), m.path, m.version)
		for _, t := range texts {
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", t.name, bytes.TrimSpace(t.content))
		}
		b.WriteString("\n")
	}
	return b.Bytes(), nil
}

// licensesIn returns the files with licenses in a folder.
func licensesIn(folder string) ([]file, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []file
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, file{e.Name(), content, false})
	}
	if len(found) == 0 {
		return nil, errors.New("it has no license")
	}
	return found, nil
}

// billOfMaterials returns a list of the modules in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json).
func billOfMaterials(version string, at time.Time, modules []module) ([]byte, error) {
	type object = map[string]any
	var components []object
	for _, m := range modules {
		c := object{"type": "library", "name": m.path, "version": m.version, "bom-ref": purl(m), "purl": purl(m),
			"scope": "required"}
		if m.sum != "" {
			c["properties"] = []object{{"name": "go:sum", "value": m.sum}}
		}
		components = append(components, c)
	}
	slices.SortFunc(components, func(a, b object) int {
		return strings.Compare(a["name"].(string), b["name"].(string))
	})
	return json.MarshalIndent(object{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": object{
			"timestamp": at.Format(time.RFC3339),
			"component": object{"type": "application", "name": "lambdamart", "version": version,
				"bom-ref": "lambdamart"},
		},
		"components": components,
	}, "", "  ")
}

// purl returns the package URL of a module.
func purl(m module) string { return "pkg:golang/" + m.path + "@" + m.version }
