"""Makes the golden models of this folder with RankLib itself.

    python generate.py RankyMcRankFace-0.1.1.jar    (Maven Central, com.o19s:RankyMcRankFace:0.1.1; wants java)

NAME.txt is a model that RankLib trained; random_forests.txt and coordinate_ascent.txt
are of kinds that we do not read. rows.txt has rows to score, among them values that
are thresholds and their neighbours, NAME.scores what RankLib gives for them. Standard
library only.
"""

import random
import re
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent
KINDS = {"lambdamart": 6, "mart": 0, "random_forests": 8, "coordinate_ascent": 4}


def ranklib(*args):
    command = ["java", "-cp", sys.argv[1], "ciir.umass.edu.eval.Evaluator", *map(str, args)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def line(label, query, values):
    """Values have all their digits: RankLib rounds decimals to float32, not float64 first."""
    return f"{label} qid:{query} " + " ".join(f"{i + 1}:{Decimal(v)}" for i, v in enumerate(values)) + "\n"


def training_data(rng, path):
    with open(path, "w") as out:
        for query in range(30):
            for _ in range(12):
                x = [round(rng.gauss(0, 1), 1), rng.random(), float(rng.randrange(4)), round(rng.random(), 3)]
                label = min(4, max(0, round(x[0] + 2 * x[1] + x[2] / 2 + rng.gauss(0, 0.3) - 1)))
                out.write(line(label, query, x))


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def neighbour(x, step):
    """The float32 beside x in steps of the bits."""
    return struct.unpack("i", struct.pack("f", x))[0] + step


def probes(rng, models):
    """Rows with each threshold, and what lies around the middle between it and the next float32."""
    text = "".join(m.read_text() for m in models)
    for feature, threshold in re.findall(r"<feature> (\d+) </feature>\s*<threshold> (\S+) </threshold>", text):
        t = float32(float(threshold))
        above = struct.unpack("f", struct.pack("i", neighbour(t, 1)))[0]
        middle = (t + above) / 2
        for value in t, above, middle, middle * (1 - 2**-52), middle * (1 + 2**-52):
            x = [round(rng.gauss(0, 1), 1), rng.random(), float(rng.randrange(4)), rng.random()]
            x[int(feature) - 1] = value
            yield x


rng = random.Random(3)
with tempfile.TemporaryDirectory() as folder:
    data = Path(folder) / "train.txt"
    training_data(rng, data)
    for name, kind in KINDS.items():
        ranklib("-train", data, "-ranker", kind, "-tree", 5, "-leaf", 6, "-bag", 2, "-r", 1, "-i", 2, "-save", HERE / f"{name}.txt")
trained = [HERE / f"{name}.txt" for name in ("lambdamart", "mart")]
(HERE / "rows.txt").write_text("".join(line(0, 1, x) for x in probes(rng, trained)))
for model in trained:
    ranklib("-load", model, "-rank", HERE / "rows.txt", "-score", model.with_suffix(".scores"))
