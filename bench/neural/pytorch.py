"""The same network, losses and training as ours, in the usual style of PyTorch: one query per step, one
thread."""

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

os.environ["OMP_NUM_THREADS"] = "1"  # has effect only before PyTorch is loaded

import numpy as np
import torch
from torch import Tensor, nn

torch.set_num_threads(1)
torch.set_num_interop_threads(1)

from settings import Settings


@dataclass(frozen=True)
class Queries:
    features: list[Tensor]  # documents × features, one tensor for each query
    labels: list[Tensor]

    @property
    def documents(self) -> int:
        return sum(map(len, self.labels))


class Inputs:
    """Maps values to sign(x)·log1p(|x|), standardized by the training rows. Constant columns become 0."""

    def __init__(self, rows: np.ndarray):
        logged = self.log(rows)
        self.mean = logged.mean(axis=0)
        deviation = logged.std(axis=0)
        self.factor = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 0)

    @staticmethod
    def log(rows: np.ndarray) -> np.ndarray:
        return np.sign(rows) * np.log1p(np.abs(rows.astype(np.float64)))

    def __call__(self, rows: np.ndarray) -> Tensor:
        return torch.from_numpy(((self.log(rows) - self.mean) * self.factor).astype(np.float32))


def queries(inputs: Inputs, rows: np.ndarray, labels: np.ndarray, sizes: np.ndarray) -> Queries:
    return Queries(list(inputs(rows).split(sizes.tolist())), list(torch.from_numpy(labels.astype(np.float32)).split(sizes.tolist())))


def network(features: int, settings: Settings) -> nn.Sequential:
    layers: list[nn.Module] = []
    for units in settings.hidden:
        layers += [nn.Linear(features, units), nn.ReLU()]
        if settings.dropout > 0:
            layers.append(nn.Dropout(settings.dropout))
        features = units
    return nn.Sequential(*layers, nn.Linear(features, 1))


def listnet(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy of the top-one probabilities (Cao et al., 2007)."""
    return -(torch.softmax(labels, 0) * torch.log_softmax(scores, 0)).sum()


def ranknet(scores: Tensor, labels: Tensor) -> Tensor:
    """Mean cross-entropy of the pairs of unequal grades (Burges et al., 2005)."""
    margins = scores[:, None] - scores[None, :]
    return nn.functional.softplus(-margins[labels[:, None] > labels[None, :]]).mean()


LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = dict(listnet=listnet, ranknet=ranknet)


class Training:
    """A training run that continues with each call of epoch. fused selects PyTorch's fused Adam instead of its default."""

    def __init__(self, train: Queries, ranker: str, seed: int, settings: Settings, fused: bool):
        self.train, self.loss, self.seed = train, LOSSES[ranker], seed
        torch.manual_seed(seed)
        self.network = network(train.features[0].shape[1], settings)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.rate, fused=fused or None)
        self.epochs = 0

    def order(self) -> Iterator[int]:
        """Returns the queries in a new order for each epoch. Like lambdamart, it leaves out queries whose grades are all equal."""
        shuffled = np.random.default_rng((self.seed, self.epochs)).permutation(len(self.train.labels))
        return (q for q in shuffled if self.train.labels[q].min() < self.train.labels[q].max())

    def epoch(self) -> dict:
        """Takes a step for each query. Returns the number of documents and the cost."""
        self.network.train()
        chosen = list(self.order())
        start, processor = time.perf_counter(), time.process_time()
        for q in chosen:
            self.optimizer.zero_grad()
            scores = self.network(self.train.features[q]).squeeze(1)
            self.loss(scores, self.train.labels[q]).backward()
            self.optimizer.step()
        wall, used = time.perf_counter() - start, time.process_time() - processor
        self.epochs += 1
        return dict(documents=sum(len(self.train.labels[q]) for q in chosen), wall=wall, processor=used)

    def scores(self, rows: Tensor) -> np.ndarray:
        self.network.eval()
        with torch.no_grad():
            found = self.network(rows).squeeze(1).numpy()
        if not math.isfinite(found.sum()):
            raise SystemExit("PyTorch's scores are not finite: take a smaller --rate")
        return found
