"""What recipes are made of: grades, columns of queries, columns and values with Zipf frequencies."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

SHARES = 0.5, 0.25, 0.15, 0.07, 0.03  # of the grades 0 to 4


@dataclass
class Rows:
    """Documents, query after query."""

    matrix: np.ndarray | sparse.csr_matrix
    labels: np.ndarray  # what is learned from: grades, or clicks
    sizes: np.ndarray  # documents of each query
    categorical: tuple[int, ...] = ()  # columns
    positions: np.ndarray | None = None  # at which documents were shown, from 1
    grades: np.ndarray | None = None  # what rankings are judged by; the labels, if there are none

    @property
    def judged(self) -> np.ndarray:
        return self.labels if self.grades is None else self.grades

    def queries(self, first: int, count: int) -> "Rows":
        """Returns some of the queries."""
        before, inside = self.sizes[:first].sum(), self.sizes[first : first + count].sum()
        rows = slice(before, before + inside)
        cut = [None if column is None else column[rows] for column in (self.positions, self.grades)]
        sizes = self.sizes[first : first + count]
        return Rows(self.matrix[rows], self.labels[rows], sizes, self.categorical, *cut)


def graded(rng: np.random.Generator, latent: np.ndarray, noise: float, shares=SHARES) -> np.ndarray:
    """Returns grades: quantiles of the latent value plus noise, in multiples of its standard deviation."""
    value = latent + noise * latent.std() * rng.standard_normal(len(latent))
    bounds = np.quantile(value, np.cumsum(shares)[:-1])
    return np.searchsorted(bounds, value, side="right").astype(np.int8)


def normal(rng: np.random.Generator, sizes: np.ndarray, columns: int, of_query: int = 0) -> np.ndarray:
    """Returns normal columns, of which the last ones are the same in all documents of a query."""
    x = rng.standard_normal((sizes.sum(), columns), dtype=np.float32)
    if of_query:
        values = rng.standard_normal((len(sizes), of_query), dtype=np.float32)
        x[:, -of_query:] = np.repeat(values, sizes, axis=0)
    return x


def zipf(rng: np.random.Generator, values: int, count: int, exponent: float) -> np.ndarray:
    """Draws integers below values. Their frequencies follow Zipf's law, in an order that says nothing."""
    shares = np.cumsum(np.arange(1, values + 1) ** -exponent)
    ranks = np.searchsorted(shares / shares[-1], rng.random(count), side="right")
    return rng.permutation(values)[np.minimum(ranks, values - 1)]


def terms(rng: np.random.Generator, x: np.ndarray, count: int) -> np.ndarray:
    """Returns a sum of terms in two columns each: half are tanh, which are smooth, and half are steps."""
    total = np.zeros(len(x))
    for term in range(count):
        first, second = rng.choice(x.shape[1], 2, replace=False)
        value = rng.normal() * x[:, first] + rng.normal() * x[:, second] + rng.normal() / 2
        total += rng.normal() * (np.tanh(value) if term % 2 == 0 else value > 0)
    return total


def sigmoid(value: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-value))
