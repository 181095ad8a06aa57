"""The shapes: a recipe each, which draws the rows of some queries.

All weights of a recipe are drawn too, so that another draw is another world, and not only other queries. A
recipe takes the numbers of documents of its queries. The last recipe, MSLR's, is a program of its own.
"""

import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

import data
from shapes.ingredients import Rows, graded, normal, sigmoid, terms, zipf


SIZES = "tiny", "small", "full"
LARGEST_TEST = 10_000  # queries


@dataclass(frozen=True)
class Shape:
    stands_for: str
    recipe: Callable[[np.random.Generator, np.ndarray], Rows] | None
    documents: tuple[int, int]  # of a query: the fewest and the most
    small: int  # queries to train on
    full: int

    def queries(self, size: str) -> int:
        return max(4, self.small // 20) if size == "tiny" else getattr(self, size)


def smooth(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 40, of_query=5)
    latent = np.zeros(len(x))
    for column in range(40):
        latent += rng.normal() * np.sin(rng.uniform(0.5, 3) * x[:, column] + rng.uniform(0, 2 * np.pi))
    return Rows(x, graded(rng, latent, 0.3), sizes)


def categories(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 10, of_query=2)
    latent, ids = terms(rng, x, 12), []
    for values in 1_000, 10_000, 100_000:
        ids.append(zipf(rng, values, len(x), 0.9))
        latent += rng.standard_normal(values)[ids[-1]]
    matrix = np.column_stack([x, *ids]).astype(np.float32)
    return Rows(matrix, graded(rng, latent, 0.7), sizes, categorical=(10, 11, 12))


def sparse_3k(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    return words(rng, sizes, 3_000)


def sparse_50k(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    return words(rng, sizes, 50_000)


def words(rng: np.random.Generator, sizes: np.ndarray, columns: int, a_row: int = 30) -> Rows:
    """Draws 30 words a document. A word that is drawn again counts again."""
    rows = sizes.sum()
    chosen = zipf(rng, columns, rows * a_row, 1.0)
    values = rng.uniform(0.5, 1.5, len(chosen)).astype(np.float32)
    matrix = sparse.csr_matrix((values, chosen, np.arange(rows + 1) * a_row), shape=(rows, columns))
    matrix.sum_duplicates()
    return Rows(matrix, graded(rng, matrix @ rng.standard_normal(columns), 0.7), sizes)


def yahoo(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    factors = normal(rng, sizes, 60, of_query=10)
    mix = rng.standard_normal((60, 700), dtype=np.float32) * (rng.random((60, 700)) < 0.1)
    x = 1 / (1 + np.exp(-factors @ mix))
    kinds, blocks = 8, 14
    lacks = np.argsort(rng.random((kinds, blocks)), axis=1) < blocks // 2
    kind = rng.integers(kinds, size=len(x))
    for block, columns in enumerate(np.array_split(rng.permutation(700), blocks)):
        x[np.ix_(lacks[kind, block], columns)] = np.nan
    return Rows(x, graded(rng, terms(rng, factors, 40) + rng.normal(size=kinds)[kind], 0.5), sizes)


def skewed(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 50, of_query=8)
    latent = terms(rng, x, 30)
    counts = np.floor(np.exp(2 * x[:, :25]))  # heavy tails
    matrix = np.column_stack([counts, x[:, 25:]]).astype(np.float32)
    return Rows(matrix, graded(rng, latent, 0.5, shares=(0.95, 0.03, 0.012, 0.006, 0.002)), sizes)


def ecommerce(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 30, of_query=6)
    quality = 0.7 * x[:, 0] + 0.7 * rng.standard_normal(len(x))
    price = np.exp(3 + 0.6 * x[:, 1] + np.repeat(rng.standard_normal(len(sizes)), sizes))
    reviews = np.floor(np.exp(1.5 * x[:, 2] + 1.5))
    stars = 3.9 + 0.6 * quality + rng.standard_normal(len(x)) / np.sqrt(1 + reviews)
    stars = np.round(np.clip(stars, 1, 5), 1)
    wanted = quality - 0.5 * x[:, 1] + 0.3 * np.log1p(reviews) + 0.4 * terms(rng, x, 10)
    x[:, 0], x[:, 1], x[:, 2] = np.where(reviews == 0, np.nan, stars), np.round(price, 2), reviews
    x[:, 3] = rng.poisson(np.exp(0.5 * (wanted - wanted.mean())))  # clicks of last week
    return Rows(x, clicked(rng, wanted, 0.019), sizes)


def clicked(rng: np.random.Generator, wanted: np.ndarray, share: float) -> np.ndarray:
    """Draws clicks by a logistic model with this share of clicks."""
    low, high = -30.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if sigmoid(wanted + middle).mean() > share else (middle, high)
    return (rng.random(len(wanted)) < sigmoid(wanted + low)).astype(np.int8)


def long(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 30, of_query=3)
    return Rows(x, graded(rng, terms(rng, x, 30), 0.5, shares=(0.9, 0.06, 0.03, 0.007, 0.003)), sizes)


def positions(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 25, of_query=3)
    relevance = terms(rng, x, 20)
    query = np.repeat(np.arange(len(sizes)), sizes)
    old = relevance / relevance.std() + 1.5 * rng.standard_normal(len(x))  # the ranking that was shown
    order = np.lexsort((-old, query))
    place = np.empty(len(x), dtype=np.int64)
    place[order] = np.arange(len(x)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    grades = graded(rng, relevance, 0.5)
    clicks = rng.random(len(x)) < np.array([0.05, 0.2, 0.4, 0.7, 0.9])[grades] / place**0.8
    return Rows(x, clicks.astype(np.int8), sizes, positions=place.astype(np.int32), grades=grades)


def dates(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 14, of_query=2).astype(np.float64)
    asked = np.repeat(1.6e9 + rng.uniform(0, 1e8, len(sizes)), sizes)  # seconds since 1970
    age = rng.exponential(2e7, len(x))
    published = np.floor(asked - age)
    last = np.floor(published / 86400) + rng.integers(7, 700, len(x))
    expires = np.where(rng.random(len(x)) < 0.4, 0, last)  # 0: never
    gone = (expires > 0) & (expires * 86400 < asked)
    latent = terms(rng, x, 10) + 3 * np.exp(-age / rng.uniform(2e6, 2e7)) - 1.5 * gone
    weekday, hour = np.floor(published / 86400) % 7, np.floor(published / 3600) % 24
    matrix = np.column_stack([x, np.floor(asked), published, expires, weekday, hour])
    return Rows(matrix, graded(rng, latent + 0.3 * (weekday > 4), 0.5), sizes)


def ties(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = np.minimum(np.floor(np.abs(normal(rng, sizes, 12, of_query=2)) * 1.5), 3)
    return Rows(x, graded(rng, terms(rng, x, 12), 0.7, shares=(0.7, 0.3)), sizes)


def weak(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 100, of_query=10)
    return Rows(x, graded(rng, terms(rng, x, 150), 3.0), sizes)


def rare(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    dense = normal(rng, sizes, 10, of_query=2)
    facts = rng.random((len(dense), 150), dtype=np.float32) < rng.uniform(0.001, 0.01, 150).astype(np.float32)
    latent = terms(rng, dense, 10) + facts @ (3 * rng.standard_normal(150))
    return Rows(np.column_stack([dense, facts]).astype(np.float32), graded(rng, latent, 0.3), sizes)


def onehot(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    """Draws a brand, a shop and a color with a column for each value, and counts of 100 rare events."""
    dense = normal(rng, sizes, 10, of_query=2)
    latent, columns = terms(rng, dense, 10), [dense]
    for values in 150, 100, 20:
        id = zipf(rng, values, len(dense), 0.9)
        latent += 0.5 * rng.standard_normal(values)[id]
        columns.append(np.eye(values, dtype=np.float32)[id])
    counts = rng.poisson(rng.uniform(0.005, 0.03, 100), (len(dense), 100)).astype(np.float32)
    latent += counts @ rng.standard_normal(100)
    return Rows(np.column_stack([*columns, counts]), graded(rng, latent, 0.5), sizes)


def narrow(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 5, of_query=1)
    return Rows(x, graded(rng, terms(rng, x, 12), 0.7), sizes)


def short(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    x = normal(rng, sizes, 25, of_query=10)
    return Rows(x, graded(rng, terms(rng, x, 20), 0.7, shares=(0.7, 0.3)), sizes)


def little(rng: np.random.Generator, sizes: np.ndarray) -> Rows:
    """Draws values that are divided by the largest of the query, as LETOR's are."""
    x = np.abs(normal(rng, sizes, 46, of_query=6)) * (rng.random((sizes.sum(), 46)) < 0.7)
    latent = terms(rng, x, 20)
    starts = np.cumsum(sizes) - sizes
    most = np.repeat(np.maximum.reduceat(x, starts), sizes, axis=0)
    matrix = np.round(np.divide(x, most, out=np.zeros_like(x), where=most > 0), 6).astype(np.float32)
    return Rows(matrix, graded(rng, latent, 0.7, shares=(0.8, 0.13, 0.07)), sizes)


MSLR = "mslr"
SHAPES = {
    "smooth": Shape(
        "scores and distances whose effects are curves, dense columns", smooth, (30, 30), 2_000, 10_000
    ),
    "categories": Shape(
        "ids of products, shops and people, frequent and rare", categories, (20, 20), 3_000, 15_000
    ),
    "sparse-3k": Shape("words and tags, one column each", sparse_3k, (20, 20), 3_000, 10_000),
    "sparse-50k": Shape("a large vocabulary, or hashed features", sparse_50k, (20, 20), 3_000, 10_000),
    "yahoo": Shape(
        "hundreds of correlated columns, half missing by kind of document", yahoo, (24, 24), 1_500, 6_000
    ),
    "skewed": Shape("few relevant documents, counts with heavy tails", skewed, (60, 60), 1_000, 5_000),
    "ecommerce": Shape("price, stars, reviews; rare clicks as labels", ecommerce, (12, 12), 6_000, 60_000),
    "long": Shape("few queries with very many documents", long, (10_000, 10_000), 10, 50),
    "positions": Shape(
        "clicks that depend on the position shown; judged by true grades", positions, (10, 10), 6_000, 40_000
    ),
    "dates": Shape(
        "seconds since 1970, days, and ages that are their differences", dates, (25, 25), 2_400, 12_000
    ),
    "ties": Shape("few values a column, so many equal documents", ties, (20, 20), 3_000, 15_000),
    "weak": Shape("many columns that say little, much noise", weak, (20, 20), 3_000, 12_000),
    "rare": Shape("facts that few documents have, with strong effects", rare, (20, 20), 3_000, 12_000),
    "onehot": Shape("a column for each value of an id, and rare counts", onehot, (20, 20), 3_000, 12_000),
    "narrow": Shape("millions of rows of few columns", narrow, (20, 20), 5_000, 100_000),
    "short": Shape("two to five documents a query, such as suggestions", short, (2, 5), 17_000, 100_000),
    "little": Shape("data as small as MQ2008", little, (8, 32), 470, 470),
    MSLR: Shape(
        "counts and scores of texts and links, as in MSLR-WEB30K (mslrgen)", None, (119, 119), 500, 3_000
    ),
}


def draw(name: str, size: str, number: int) -> dict[str, Rows]:
    """Draws the three parts of a shape. The same arguments give the same bytes."""
    counts = queries_of_parts(SHAPES[name], size)
    if name == MSLR:
        return {part: mslr(count, 1000 + 3 * number + n) for n, (part, count) in enumerate(counts.items())}
    rng = np.random.default_rng([zlib.crc32(name.encode()), SIZES.index(size), number])
    fewest, most = SHAPES[name].documents
    rows = SHAPES[name].recipe(rng, rng.integers(fewest, most, sum(counts.values()), endpoint=True))
    parts, first = {}, 0
    for part, count in counts.items():
        parts[part] = rows.queries(first, count)
        first += count
    return parts


def queries_of_parts(shape: Shape, size: str) -> dict[str, int]:
    queries = shape.queries(size)
    test = min(LARGEST_TEST, max(queries // 2, min(queries, 500)))
    return dict(train=queries, valid=max(1, test // 2), test=test)


def mslr(queries: int, seed: int) -> Rows:
    """Draws MSLR-shaped rows by the program that makes the standard set of bench/run.sh."""
    from sklearn.datasets import load_svmlight_file

    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "rows.txt"
        data.generate(text, queries, seed, 1)
        matrix, labels, ids = load_svmlight_file(str(text), n_features=136, dtype=np.float32, query_id=True)
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1], [True])))
    return Rows(matrix.toarray(), labels.astype(np.int8), np.diff(starts))
