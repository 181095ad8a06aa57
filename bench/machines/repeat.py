"""Makes a folder of shards that repeats the rows of a binned file many times.

    repeat.py PART.bin COPIES FOLDER ROWS QUERIES

ROWS and QUERIES are the counts of the file, which `lambdamart bin` prints. Every shard is a link to the same file, so that the
data takes little disk space; a rank reads and keeps shards as if they were different files. docs/machines.md uses it.
"""

import json
import os
import struct
import sys
from pathlib import Path

PREFACE = 256  # bytes; the last four are their checksum, which the list of shards has (io/data/internal/binned/preface.go)


def main() -> None:
    part, copies, folder = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    rows, queries = (int(number) for number in sys.argv[4:6])
    with part.open("rb") as file:
        checksum = struct.unpack("<I", file.read(PREFACE)[-4:])[0]
    folder.mkdir()
    names = [f"part-{i:05}.bin" for i in range(copies)]
    for name in names:
        os.link(part, folder / name)
    shards = [{"File": name, "Rows": rows, "Queries": queries, "Checksum": checksum} for name in names]
    (folder / "shards.json").write_text(json.dumps({"Shards": shards}))


if __name__ == "__main__":
    main()
