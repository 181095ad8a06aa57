"""One module for each system. Each has

- CONFIGURATIONS: a dictionary of names and the parameters of that configuration;
- train(files, parameters, settings, model) -> Costs: reads, bins and trains from
  text, and saves the model;
- scores(files, model, stages): generates pairs of a number of trees and the
  validation scores with that many trees.

All systems get the same task (Settings), under their own names of the parameters.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    iterations: int = 100
    threads: int = 2
    leaves: int = 255
    learning_rate: float = 0.1
    min_sum_hessian: float = 100.0
    bins: int = 255
    truncation: int = 30


@dataclass
class Costs:
    load: float = 0.0  # seconds before the first iteration
    iterations: list[float] = field(default_factory=list)  # seconds of each
    idle_mib: float = 0.0  # peak resident memory with all libraries loaded, before anything is read
    peak_mib: float = 0.0  # peak resident memory
