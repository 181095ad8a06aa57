"""Makes example.xml, example.rows and example.scores with QuickRank's own code.

    python generate.py QUICKRANK PUGIXML

QUICKRANK is a checkout of hpclab/quickrank (c569a59, 2018), PUGIXML one of zeux/pugixml.
Wants g++. The model is random; QuickRank reads it, writes it as it writes its own, and
scores rows with it, among them thresholds and what lies around the middle between them
and the next float32. Standard library only.
"""

import random
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent
FEATURES = 5
INFO = """<info><type>LAMBDAMART</type><trees>12</trees><leaves>7</leaves><shrinkage>0.10000000000000001</shrinkage>
<leafsupport>1</leafsupport><discretization>0</discretization><estop>100</estop><subsample>1</subsample>
<max_features>1</max_features><collapse_leaves_factor>0</collapse_leaves_factor></info>"""


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def next_float32(x):
    bits = struct.unpack("i", struct.pack("f", x))[0]
    return struct.unpack("f", struct.pack("i", bits + (1 if x >= 0 else -1)))[0]


def split(rng, depth, cuts, pos=""):
    if depth == 0 or rng.random() < 0.2:
        return f"<split{pos}><output>{rng.gauss(0, 1)!r}</output></split>"
    feature, threshold = rng.randrange(1, FEATURES + 1), float32(rng.choice([round(rng.gauss(0, 1), 1), rng.gauss(0, 1), 0.0]))
    cuts.append((feature, threshold))
    left, right = (split(rng, depth - 1, cuts, f' pos="{side}"') for side in ("left", "right"))
    return f"<split{pos}><feature>{feature}</feature><threshold>{threshold!r}</threshold>{left}{right}</split>"


def probes(rng, cuts):
    for feature, t in cuts:
        middle = (t + next_float32(t)) / 2
        for value in t, next_float32(t), middle, middle * (1 - 2**-52), middle * (1 + 2**-52):
            row = [round(rng.gauss(0, 1), 1) for _ in range(FEATURES)]
            row[feature - 1] = value
            yield " ".join(str(Decimal(v)) for v in row) + "\n"
    yield " ".join(["nan"] * FEATURES) + "\n"


quickrank, pugixml = map(Path, sys.argv[1:])
rng = random.Random(5)
cuts = []
trees = "".join(f'<tree id="{i + 1}" weight="{rng.choice([0.1, 0.3, 1.0])!r}">{split(rng, 4, cuts)}</tree>' for i in range(12))
with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "pugixml").symlink_to(pugixml.resolve())
    program = f"{folder}/quickrank"
    sources = [quickrank / "src/learning/tree" / name for name in ("rtnode.cc", "ensemble.cc")]
    includes = [f"-I{quickrank / 'include'}", f"-I{folder}"]
    subprocess.run(["g++", "-std=c++11", "-w", *includes, HERE / "quickrank.cc", *sources, pugixml / "src/pugixml.cpp", "-o", program], check=True)
    (Path(folder) / "model.xml").write_text(f"<ranker>{INFO}<ensemble>{trees}</ensemble></ranker>")
    subprocess.run([program, "rewrite", f"{folder}/model.xml", HERE / "example.xml"], check=True)
    (HERE / "example.rows").write_text("".join(probes(rng, cuts)))
    with open(HERE / "example.scores", "w") as out:
        subprocess.run([program, "score", HERE / "example.xml", HERE / "example.rows"], check=True, stdout=out)
