"""Prints the path of a Python interpreter that has certain packages.

    python3 test/environment.py test/requirements.txt

The packages are installed once for each content of the requirements file, in a folder of their own in
the user's cache folder. Any number of runs may do this at the same time: one installs, the others wait.
Uses only the standard library.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NoReturn


def main() -> None:
    print(python_with(Path(sys.argv[1])))


def python_with(requirements: Path) -> Path:
    """Returns the interpreter that has the packages, and installs them if there is none yet."""
    folder = cache_folder() / folder_name(requirements)
    folder.parent.mkdir(parents=True, exist_ok=True)
    complete = folder / "complete"  # written last: a folder without it is incomplete
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)
            install(folder, requirements)
            complete.touch()
    return interpreter(folder)


def run_again(requirements: str, variables: dict[str, str], *arguments: str | Path) -> NoReturn:
    """Runs the program again, with further arguments and environment variables, by the Python that has the packages of
    a file beside this one, and ends with its status."""
    python = python_with(Path(__file__).resolve().parent / requirements)
    sys.exit(subprocess.run([python, *sys.argv, *arguments], env=os.environ | variables).returncode)


def cache_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "lambdamart"


def folder_name(requirements: Path) -> str:
    """Returns a name that depends on the packages and on the Python that runs them."""
    key = requirements.read_bytes() + sys.version.encode() + sys.base_prefix.encode()
    return f"python-{hashlib.sha256(key).hexdigest()[:16]}"


def install(folder: Path, requirements: Path) -> None:
    print(f"installing {requirements} into {folder}", file=sys.stderr)
    venv.create(folder, with_pip=True)
    pip = [interpreter(folder), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--requirement", requirements], check=True, stdout=sys.stderr)


def interpreter(folder: Path) -> Path:
    return folder / "bin" / "python"


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"environment.py: {error}")
