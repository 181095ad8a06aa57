"""Makes Parquet files that other readers get wrong.

    pip install pyarrow==26.0.1
    python io/data/internal/parquet/testdata/generate.py

boolean_runs is a file of pyarrow, with true in all rows but those whose number
divides by 13. The others are correct but for one number, which is written by hand.
Fields are those of parquet.thrift, in Thrift's compact protocol.
"""

import struct
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
INT64, PLAIN, DICTIONARY = 2, 0, 8
DATA_PAGE, DICTIONARY_PAGE = 0, 2
NO_CODEC, GZIP = 0, 2


def main() -> None:
    booleans = pa.table({"c": [row % 13 > 0 for row in range(500)]})
    pq.write_table(booleans, HERE / "boolean_runs.parquet", data_page_version="2.0")

    seven = page(DICTIONARY_PAGE, struct.pack("<q", 7), 1, PLAIN)
    run = varint(2**28 << 1) + b"\0"  # of zeros, places in the dictionary
    write("long_runs", seven, page(DATA_PAGE, b"\1" + 40 * run, 8, DICTIONARY))
    eight = varint(8 << 1) + b"\0"
    write("long_list", seven, page(DATA_PAGE, b"\1" + eight, 8, DICTIONARY), schema=2**30)
    write("short_page", b"", page(DATA_PAGE, struct.pack("<qq", 5, 6), 8, PLAIN))
    packed = zlib.compressobj(9, wbits=31)
    data = packed.compress(bytes(16 << 20)) + packed.flush()
    write("inflated", b"", page(DATA_PAGE, data, 8, PLAIN, size=64), codec=GZIP)


def write(name: str, dictionary: bytes, data: bytes, codec: int = NO_CODEC, schema: int = 2) -> None:
    """Writes a column "c" of eight integers."""
    chunk = len(dictionary + data)
    meta = [(1, I32, INT64), (2, LIST, (I32, 1, varint(0))), (3, LIST, (BINARY, 1, text("c"))), (4, I32, codec),
            (5, I64, 8), (6, I64, chunk), (7, I64, chunk), (9, I64, 4 + len(dictionary))]
    if dictionary:
        meta.append((11, I64, 4))
    column = record([(2, I64, 4), (3, STRUCT, record(meta))])
    group = record([(1, LIST, (STRUCT, 1, column)), (2, I64, chunk), (3, I64, 8)])
    elements = record([(4, BINARY, text("root")), (5, I32, 1)]) + record([(1, I32, INT64), (3, I32, 0), (4, BINARY, text("c"))])
    footer = record([(1, I32, 1), (2, LIST, (STRUCT, schema, elements)), (3, I64, 8), (4, LIST, (STRUCT, 1, group))])
    out = b"PAR1" + dictionary + data + footer + struct.pack("<I", len(footer)) + b"PAR1"
    (HERE / f"{name}.parquet").write_bytes(out)


def page(kind: int, data: bytes, values: int, encoding: int, size: int | None = None) -> bytes:
    """A page with its header; size is what the header says of data once decompressed."""
    header = [(1, I32, kind), (2, I32, len(data) if size is None else size), (3, I32, len(data))]
    details = [(1, I32, values), (2, I32, encoding)]
    if kind == DATA_PAGE:
        header.append((5, STRUCT, record(details + [(3, I32, 3), (4, I32, 3)])))  # levels: run lengths
    else:
        header.append((7, STRUCT, record(details)))
    return record(header) + data


def record(fields: list) -> bytes:
    out, last = b"", 0
    for number, kind, value in fields:
        out += bytes([(number - last) << 4 | kind])
        last = number
        if kind in (I32, I64):
            out += varint(value << 1)
        elif kind == LIST:
            element, count, items = value
            out += bytes([min(count, 15) << 4 | element]) + (varint(count) if count >= 15 else b"") + items
        else:
            out += value
    return out + b"\0"


def text(value: str) -> bytes:
    return varint(len(value)) + value.encode()


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


if __name__ == "__main__":
    main()
