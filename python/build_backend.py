"""Builds wheels and the source distribution. Needs Go and only Python's standard library.

    python3 build_backend.py FOLDER                    all wheels and the source distribution
    python3 build_backend.py FOLDER linux/amd64 ...    wheels of some targets
    python3 build_backend.py --licenses PROGRAM        the licenses of Go and of all modules in a program

pip install ./python calls the functions build_wheel and build_sdist (PEP 517). The binary is static, so one
wheel works with every Python version, and on Linux with both glibc and musl. Files have a fixed date, so the
same sources and the same version of Go give the same bytes.
"""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NAME = "lambdamart"

# Tags of wheels. macOS 12 is the oldest that Go 1.26 supports.
TARGETS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
    "windows/arm64": ["win_arm64"],
}


def version() -> str:
    return re.search(r'"(.+)"', (HERE / NAME / "_version.py").read_text())[1]


def project() -> dict[str, Any]:
    """Returns the table [project] of pyproject.toml. Python 3.10 cannot read TOML; the lists and texts in it are Python's too."""
    tables = dict(re.findall(r"^\[(project[.\w]*)\]\n(.*?)(?=^\[|\Z)", (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    read = lambda text: {k: ast.literal_eval(v) for k, v in re.findall(r'^([\w-]+) = (".*?"$|\[.*?\]$)', text, re.MULTILINE | re.DOTALL)}
    return read(tables["project"]) | {name: read(tables[f"project.{name}"]) for name in ("scripts", "urls")}


def metadata(*licenses: str) -> str:
    """Returns the metadata of a wheel or a source distribution that has these files with licenses."""
    p = project()
    lines = ["Metadata-Version: 2.4", f"Name: {NAME}", f"Version: {version()}", f"Summary: {p['description']}"]
    lines += [f"Keywords: {','.join(p['keywords'])}", f"License-Expression: {p['license']}", *(f"License-File: {name}" for name in licenses)]
    lines += [f"Classifier: {name}" for name in p["classifiers"]]
    lines += [f"Project-URL: {name}, {url}" for name, url in p["urls"].items()]
    lines += [f"Requires-Python: {p['requires-python']}", *(f"Requires-Dist: {name}" for name in p["dependencies"])]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / p["readme"]).read_text(encoding="utf-8")])


def go_root() -> Path:
    """Returns the folder of the Go module, which a source distribution contains."""
    inside = HERE / "go"
    root = inside if (inside / "go.mod").exists() else HERE.parent
    if not (root / "go.mod").exists():
        raise SystemExit(f"{root} has no go.mod: build in a clone of the repository, or from the source distribution")
    return root


def environment(target: str) -> dict[str, str]:
    """Returns the environment in which Go builds for a target."""
    system, processor = target.split("/")
    return {**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0"}


def build_binary(target: str, output: Path) -> None:
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(output), "./cmd/lambdamart"]
    try:
        subprocess.run(command, cwd=go_root(), env=environment(target), check=True)
    except FileNotFoundError:
        raise SystemExit("go is not installed: the binary of the package is built with it (https://go.dev/dl); or install a wheel") from None


def go(*arguments: str, target: str = "") -> str:
    """Returns what a command of Go prints, for a target or for this machine."""
    variables = environment(target) if target else None
    return subprocess.run(["go", *arguments], cwd=go_root(), env=variables, check=True, capture_output=True, text=True).stdout


def licenses(program: Path) -> str:
    """Returns the licenses of Go and of all modules in a program, which whoever passes it on must pass on too."""
    found = licenses_in(Path(go("env", "GOROOT").strip())) or "\nThe license of Go: https://go.dev/LICENSE\n"  # packages of Go may have it elsewhere
    parts = [f"{go('env', 'GOVERSION').strip()}\n{found}"]
    for line in go("version", "-m", str(program.resolve())).splitlines():
        if line.startswith("\tdep\t"):
            module, version = line.split()[1:3]
            found = licenses_in(Path(go("list", "-m", "-f", "{{.Dir}}", module).strip()))
            if not found:
                raise SystemExit(f"{module}@{version} has no license")
            parts.append(f"{module}@{version}\n{found}")
    return "\n\n".join(parts)


def licenses_in(folder: Path) -> str:
    names = sorted(p for p in folder.iterdir() if re.match(r"(licen[cs]e|copying|notice|patents)(\.|$)", p.name, re.IGNORECASE) and p.is_file())
    return "".join(f"\n{p.name}:\n\n{p.read_text(encoding='utf-8')}" for p in names)


def host() -> str:
    """Returns the target of this machine."""
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}.get(platform.system())
    processor = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    target = f"{system}/{processor}"
    if target not in TARGETS:
        raise SystemExit(f"there is no wheel for {platform.system()} on {platform.machine()}; there are {', '.join(TARGETS)}")
    return target


def wheel(target: str, folder: Path) -> Path:
    """Writes the wheel of a target."""
    entries = [(f"{NAME}/{p.name}", p.read_bytes(), 0o644) for p in sources()]
    with tempfile.TemporaryDirectory() as scratch:
        binary = Path(scratch, NAME + (".exe" if target.startswith("windows") else ""))
        build_binary(target, binary)
        entries.append((f"{NAME}/bin/{binary.name}", binary.read_bytes(), 0o755))
        return pack(target, folder, entries, {"LICENSES.txt": licenses(binary)})


def pack(target: str, folder: Path, entries: list[tuple[str, bytes, int]], others: dict[str, str]) -> Path:
    """Writes a wheel of files, each with its name, content and mode, and adds the metadata, our license and those of others."""
    info, tags = f"{NAME}-{version()}.dist-info", TARGETS[target]
    described = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{t}\n" for t in tags)
    texts = {"LICENSE": (go_root() / "LICENSE").read_text(), **others}
    scripts = "".join(f"{name} = {place}\n" for name, place in project()["scripts"].items())
    named = {"METADATA": metadata(*texts), "WHEEL": described, "entry_points.txt": f"[console_scripts]\n{scripts}"}
    named |= {f"licenses/{name}": text for name, text in texts.items()}
    entries += [(f"{info}/{name}", text.encode(), 0o644) for name, text in named.items()]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in entries) + f"{info}/RECORD,,\n"
    entries.append((f"{info}/RECORD", record.encode(), 0o644))
    path = folder / f"{NAME}-{version()}-py3-none-{'.'.join(tags)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data, mode in entries:
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return path


def sources() -> list[Path]:
    return sorted([*(HERE / NAME).glob("*.py"), HERE / NAME / "py.typed"])


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def go_sources() -> list[str]:
    """Returns the source files of the binary for all systems, relative to the module."""
    root = go_root()
    kinds = ["GoFiles", "IgnoredGoFiles", "SFiles", "HFiles", "IgnoredOtherFiles", "EmbedFiles"]
    files = {"go.mod", "go.sum", "LICENSE"}
    for target in TARGETS:
        out = go("list", "-deps", "-json", "./cmd/lambdamart", target=target)
        decoder, at = json.JSONDecoder(), 0
        while at < len(out.rstrip()):
            package, at = decoder.raw_decode(out, at)
            at += len(out[at:]) - len(out[at:].lstrip())
            if package.get("Module", {}).get("Main"):
                place = Path(package["Dir"]).relative_to(root.resolve())
                files.update(str(place / name) for kind in kinds for name in package.get(kind, []))
    return sorted(f for f in files if (root / f).exists() and not f.endswith("_test.go"))


def sdist(folder: Path) -> Path:
    """Writes the source distribution, which includes the Go files of the binary."""
    base = f"{NAME}-{version()}"
    files = {f"{base}/{p.relative_to(HERE)}": p for p in [*sources(), *(HERE / name for name in ("README.md", "pyproject.toml", "build_backend.py"))]}
    files |= {f"{base}/go/{name}": go_root() / name for name in go_sources()}
    path = folder / f"{base}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in [(f"{base}/PKG-INFO", metadata("go/LICENSE").encode()), *((n, p.read_bytes()) for n, p in sorted(files.items()))]:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), 0o644, 1577836800
            tar.addfile(entry, io.BytesIO(data))
    return path


# PEP 517


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return wheel(host(), Path(wheel_directory)).name


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Builds the binary in this folder, and a wheel that only refers to the folder (PEP 660)."""
    target = host()
    place = HERE / NAME / "bin"
    place.mkdir(exist_ok=True)
    build_binary(target, place / (NAME + (".exe" if target.startswith("windows") else "")))
    return pack(target, Path(wheel_directory), [(f"{NAME}.pth", f"{HERE}\n".encode(), 0o644)], {}).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    return sdist(Path(sdist_directory)).name


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--licenses":
        print(licenses(Path(sys.argv[2])), end="")
        return
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    unknown = [t for t in sys.argv[2:] if t not in TARGETS]
    if unknown:
        sys.exit(f"there is no target {unknown[0]}; there are {', '.join(TARGETS)}")
    paths = [wheel(t, folder) for t in sys.argv[2:] or TARGETS]
    if not sys.argv[2:]:
        paths.append(sdist(folder))
    for path in paths:
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
