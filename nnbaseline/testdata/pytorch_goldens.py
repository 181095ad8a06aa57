"""Writes pytorch_losses.json and pytorch_training.json, which the tests of nnbaseline
compare with: losses, gradients and trained weights that PyTorch finds by its own
automatic differentiation and with its own layers and optimizers, in float64.

    $(python3 test/environment.py bench/neural/requirements.txt) nnbaseline/testdata/pytorch_goldens.py

The two files are made by PyTorch 2.15.0; another version may differ in the last digits.
"""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

HERE = Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def main() -> None:
    write("pytorch_losses.json", dict(pytorch=torch.__version__, lists=[loss_case(*case) for case in lists()]))
    write("pytorch_training.json", dict(pytorch=torch.__version__, trainings=[training_case(s) for s in TRAININGS]))


def write(name: str, content: dict) -> None:
    """A line for each list or training."""
    version, (key, cases) = content["pytorch"], list(content.items())[1]
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / name).write_text(f'{{"pytorch": "{version}", "{key}": [\n{lines}\n]}}\n')


# Losses of one query, from its scores s and labels y.


def pair_loss(margin: Tensor) -> Tensor:
    """softplus(-margin); PyTorch's function of that name is a straight line beyond 20."""
    return -nn.functional.logsigmoid(margin)


def ranknet(s: Tensor, y: Tensor, sigma: float) -> Tensor:
    """The mean over pairs of unequal labels."""
    high, low = torch.where(y[:, None] > y[None, :])
    return pair_loss(sigma * (s[high] - s[low])).mean()


def listnet(s: Tensor, y: Tensor) -> Tensor:
    return nn.functional.cross_entropy(s[None], torch.softmax(y, 0)[None])


def listnet_kl(s: Tensor, y: Tensor) -> Tensor:
    return nn.functional.kl_div(torch.log_softmax(s, 0), torch.softmax(y, 0), reduction="sum")


def listmle(s: Tensor, y: Tensor) -> Tensor:
    """For labels that are all different: equal ones have no order of their own."""
    ordered = s[torch.argsort(y, descending=True)]
    return sum(torch.logsumexp(ordered[i:], 0) - ordered[i] for i in range(len(s)))


def mse(s: Tensor, y: Tensor) -> Tensor:
    return nn.functional.mse_loss(s, y)


def lambdarank(s: Tensor, y: Tensor, sigma: float, truncation: int) -> Tensor:
    """RankNet's pairs, each times the change of nDCG if the two swapped ranks, a constant."""
    gains = 2**y - 1
    rank = torch.empty(len(s), dtype=torch.long)
    rank[torch.argsort(s.detach(), descending=True, stable=True)] = torch.arange(len(s))
    discount = 1 / torch.log2(rank + 2.0)
    first = torch.arange(min(truncation, len(s)))
    best = (torch.sort(gains, descending=True).values[: len(first)] / torch.log2(first + 2.0)).sum()
    high, low = torch.where((y[:, None] > y[None, :]) & (torch.minimum(rank[:, None], rank[None, :]) < truncation))
    delta = (gains[high] - gains[low]) * (discount[high] - discount[low]).abs() / best
    return (delta * pair_loss(sigma * (s[high] - s[low]))).sum()


def lists() -> list[tuple[list[float], list[float]]]:
    """Scores and labels."""
    random = np.random.default_rng(7)
    made = [([0.5, -0.25], [0, 1]), ([3.0, 3.0, -1.0, 2.0, 0.0], [2, 0, 1, 4, 3])]
    for n, scale in (9, 1.0), (30, 0.1), (30, 3.0), (60, 30.0):
        made.append((np.round(random.normal(scale=scale, size=n), 3).tolist(), random.integers(0, 5, n).tolist()))
    made.append((np.round(random.normal(size=20), 3).tolist(), random.permutation(20).tolist()))
    return made


def loss_case(scores: list[float], labels: list[float]) -> dict:
    y = torch.tensor(labels, dtype=torch.float64)
    losses: dict[str, Callable[[Tensor], Tensor]] = {
        "ranknet sigmoid=1": lambda s: ranknet(s, y, 1),
        "ranknet sigmoid=2.5": lambda s: ranknet(s, y, 2.5),
        "listnet": lambda s: listnet(s, y),
        "listnet-kl": lambda s: listnet_kl(s, y),
        "mse": lambda s: mse(s, y),
    }
    if len(set(labels)) == len(labels):
        losses["listmle"] = lambda s: listmle(s, y)
    if max(labels) < 5:
        losses["lambdarank-mlp sigmoid=1 lambdarank_truncation_level=30"] = lambda s: lambdarank(s, y, 1, 30)
        losses["lambdarank-mlp sigmoid=2 lambdarank_truncation_level=3"] = lambda s: lambdarank(s, y, 2, 3)
    return dict(scores=scores, labels=labels, losses={name: of(scores, loss) for name, loss in losses.items()})


def of(scores: list[float], loss: Callable[[Tensor], Tensor]) -> dict:
    s = torch.tensor(scores, requires_grad=True)
    value = loss(s)
    value.backward()
    return dict(loss=value.item(), gradient=s.grad.tolist())


# Trainings of a small network. Each step takes all queries: the mean of their losses.


@dataclass(frozen=True)
class Training:
    """In the names of nnbaseline's parameters."""

    ranker: str
    normalization: str = "none"
    optimizer: str = "adam"
    weight_decay: float = 0.0
    gradient_clip: float = 0.0
    learning_rate: float = 0.01
    steps: int = 25


# Gradients are clipped in some of the steps: Adam does not see a factor that all have.
TRAININGS = [
    Training("listnet"),
    Training("ranknet", weight_decay=0.05),
    Training("listnet-kl", normalization="layer", optimizer="adamw", weight_decay=0.5),
    Training("ranknet", normalization="batch"),
    Training("lambdarank-mlp", optimizer="adamw", weight_decay=0.1, gradient_clip=0.3),
    Training("mse", normalization="layer", gradient_clip=4.0),
    Training("listnet", normalization="batch", optimizer="adamw", weight_decay=0.1, gradient_clip=0.31),
]
HIDDEN = 8, 6
FEATURES = 5
SIZES = 4, 7, 3, 10

LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "ranknet": lambda s, y: ranknet(s, y, 1),
    "listnet": listnet,
    "listnet-kl": listnet_kl,
    "mse": mse,
    "lambdarank-mlp": lambda s, y: lambdarank(s, y, 1, 30),
}


def training_case(settings: Training) -> dict:
    rows, labels = documents()
    inputs = torch.tensor(standardized(rows))
    y = torch.tensor(labels, dtype=torch.float64).split(SIZES)
    torch.manual_seed(5)
    network = make(settings)
    before = layers(network)
    optimizer = make_optimizer(settings, network)
    losses, gradients = [], []
    for _ in range(settings.steps):
        optimizer.zero_grad()
        scores = network(inputs).squeeze(1).split(SIZES)
        loss = torch.stack([LOSSES[settings.ranker](s, labels) for s, labels in zip(scores, y)]).mean()
        loss.backward()
        if not gradients:
            gradients = layers(network, gradient=True)
        if settings.gradient_clip > 0:
            nn.utils.clip_grad_norm_(network.parameters(), settings.gradient_clip)
        optimizer.step()
        losses.append(loss.item())
    network.eval()
    with torch.no_grad():
        scores = network(inputs).squeeze(1).tolist()
    return dict(
        parameters=asdict(settings) | dict(hidden_layers=HIDDEN),
        rows=rows.tolist(),
        labels=labels,
        sizes=SIZES,
        before=before,
        first_gradient=gradients,
        losses=losses,
        after=layers(network),
        scores=scores,
    )


def documents() -> tuple[np.ndarray, list[int]]:
    """Features of very different sizes, as rankers have, and one that is constant."""
    random = np.random.default_rng(11)
    rows = random.normal(size=(sum(SIZES), FEATURES)) * np.array([1, 100, 1e6, 0.01, 0])
    rows[:, 4] = 3
    rows[:, 1] = np.abs(rows[:, 1])
    labels = [2, 0, 1, 0, 4, 1, 0, 0, 2, 1, 3, 1, 0, 0] + random.integers(0, 5, SIZES[3]).tolist()
    return np.round(rows, 4), labels


def standardized(rows: np.ndarray) -> np.ndarray:
    logged = np.sign(rows) * np.log1p(np.abs(rows))
    deviation = logged.std(axis=0)
    factor = np.divide(1, deviation, out=np.zeros_like(deviation), where=deviation > 1e-12)
    return (logged - logged.mean(axis=0)) * factor


def make(settings: Training) -> nn.Sequential:
    made: list[nn.Module] = []
    features = FEATURES
    for units in HIDDEN:
        made.append(nn.Linear(features, units, bias=settings.normalization != "batch"))  # what batch normalization takes away again
        if settings.normalization == "batch":
            made.append(nn.BatchNorm1d(units))
        elif settings.normalization == "layer":
            made.append(nn.LayerNorm(units))
        made.append(nn.ReLU())
        features = units
    return nn.Sequential(*made, nn.Linear(features, 1))


def make_optimizer(settings: Training, network: nn.Module) -> torch.optim.Optimizer:
    kind = dict(adam=torch.optim.Adam, adamw=torch.optim.AdamW)[settings.optimizer]
    return kind(network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay)


def layers(network: nn.Sequential, gradient: bool = False) -> list[dict]:
    """The numbers of each linear layer and of the normalization after it. Weights are inputs × outputs."""
    found: list[dict] = []
    for part in network:
        if isinstance(part, nn.Linear):
            found.append(dict(weight=numbers(part.weight, gradient, lambda w: w.T)))
            if part.bias is not None:
                found[-1]["bias"] = numbers(part.bias, gradient)
        elif isinstance(part, nn.LayerNorm | nn.BatchNorm1d):
            found[-1] |= dict(gain=numbers(part.weight, gradient), shift=numbers(part.bias, gradient))
            if isinstance(part, nn.BatchNorm1d) and not gradient:
                found[-1] |= dict(mean=part.running_mean.tolist(), variance=part.running_var.tolist())
    return found


def numbers(values: Tensor, gradient: bool, turn: Callable[[Tensor], Tensor] = lambda w: w) -> list[float]:
    values = values.grad if gradient else values
    return turn(values.detach()).reshape(-1).tolist()


if __name__ == "__main__":
    assert math.isclose(listnet(torch.zeros(2), torch.zeros(2)).item(), math.log(2))
    main()
