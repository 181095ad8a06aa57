"""The table of a check, and its exit status."""

import sys


class Table:
    """Prints each row at once, and counts those that failed."""

    def __init__(self, *columns: str):
        self.widths = [max(len(c), 9) for c in columns]
        self.widths[0] = 24
        self.failed = 0
        self.rows = 0
        self.line(columns)

    def row(self, passed: bool, *cells) -> None:
        self.rows += 1
        self.failed += not passed
        self.line([*map(show, cells), "" if passed else "FAILED"])

    def line(self, cells) -> None:
        padded = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, [*self.widths, 0]))]
        print("  ".join(padded).rstrip(), flush=True)

    def exit(self) -> None:
        """Ends the program. The status is 0 if there were rows and none failed."""
        print(f"{self.rows - self.failed} of {self.rows} hold")
        sys.exit(self.failed > 0 or self.rows == 0)


def show(cell) -> str:
    return f"{cell:.5g}" if isinstance(cell, float) else str(cell)
