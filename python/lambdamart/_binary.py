"""The binary of the package, and the command `lambdamart`, which runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ._errors import LambdaMARTError

NAME = "lambdamart.exe" if os.name == "nt" else "lambdamart"


def path() -> str:
    """Returns the path of the binary."""
    own = Path(__file__).parent / "bin" / NAME
    chosen = os.environ.get("LAMBDAMART_BINARY")
    if chosen:
        return chosen
    if not own.exists():
        raise LambdaMARTError(
            f"{own} is missing: this is a source tree; install the package (pip install ./python, which needs Go), "
            "or set LAMBDAMART_BINARY to a binary made by: go build ./cmd/lambdamart"
        )
    return str(own)


def main() -> None:
    """Runs the command line. On POSIX the binary replaces this process, so it receives signals and sets the exit status."""
    try:
        program = path()
    except LambdaMARTError as error:
        sys.exit(f"lambdamart: {error}")
    if os.name == "nt":
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
    os.execv(program, [program, *sys.argv[1:]])
