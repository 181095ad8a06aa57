"""Builds wheels and the source distribution. Needs Go and only Python's standard library.

    python3 build_backend.py FOLDER                    all wheels and the source distribution
    python3 build_backend.py FOLDER linux/amd64 ...    wheels of some targets

pip install ./python calls the functions build_wheel and build_sdist (PEP 517). The binary is static, so one
wheel works with every Python version, and on Linux with both glibc and musl. Files have a fixed date, so the
same sources and the same version of Go give the same bytes.
"""

from __future__ import annotations

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


def metadata() -> str:
    project = (HERE / "pyproject.toml").read_text()
    value = {key: re.search(rf'^{key} = "(.+)"', project, re.MULTILINE)[1] for key in ("description", "requires-python")}
    needed = re.search(r"^dependencies = \[(.+)\]", project, re.MULTILINE)[1]
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version()}", f"Summary: {value['description']}", f"Requires-Python: {value['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in re.findall(r'"(.+?)"', needed)]
    return "\n".join(lines) + "\n"


def go_root() -> Path:
    """Returns the folder of the Go module, which a source distribution contains."""
    inside = HERE / "go"
    root = inside if (inside / "go.mod").exists() else HERE.parent
    if not (root / "go.mod").exists():
        raise SystemExit(f"{root} has no go.mod: build in a clone of the repository, or from the source distribution")
    return root


def build_binary(target: str, output: Path) -> None:
    system, processor = target.split("/")
    environment = {**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0"}
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(output), "./cmd/lambdamart"]
    try:
        subprocess.run(command, cwd=go_root(), env=environment, check=True)
    except FileNotFoundError:
        raise SystemExit("go is not installed: the binary of the package is built with it (https://go.dev/dl); or install a wheel") from None


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
    return pack(target, folder, entries)


def pack(target: str, folder: Path, entries: list[tuple[str, bytes, int]]) -> Path:
    """Writes a wheel of files, each with its name, content and mode, and adds the metadata."""
    info, tags = f"{NAME}-{version()}.dist-info", TARGETS[target]
    described = "Wheel-Version: 1.0\nGenerator: build_backend\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{t}\n" for t in tags)
    entries.append((f"{info}/METADATA", metadata().encode(), 0o644))
    entries.append((f"{info}/WHEEL", described.encode(), 0o644))
    entries.append((f"{info}/entry_points.txt", f"[console_scripts]\n{NAME} = {NAME}._binary:main\n".encode(), 0o644))
    if (go_root() / "LICENSE").exists():
        entries.append((f"{info}/LICENSE", (go_root() / "LICENSE").read_bytes(), 0o644))
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
        system, processor = target.split("/")
        environment = {**os.environ, "GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0"}
        out = subprocess.run(["go", "list", "-deps", "-json", "./cmd/lambdamart"], cwd=root, env=environment, check=True, capture_output=True, text=True).stdout
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
    files = {f"{base}/{p.relative_to(HERE)}": p for p in [*sources(), HERE / "pyproject.toml", HERE / "build_backend.py"]}
    files |= {f"{base}/go/{name}": go_root() / name for name in go_sources()}
    path = folder / f"{base}.tar.gz"
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in [(f"{base}/PKG-INFO", metadata().encode()), *((n, p.read_bytes()) for n, p in sorted(files.items()))]:
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
    return pack(target, Path(wheel_directory), [(f"{NAME}.pth", f"{HERE}\n".encode(), 0o644)]).name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    return sdist(Path(sdist_directory)).name


def main() -> None:
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
