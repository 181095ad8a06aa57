"""One module for each system. Each has

- CONFIGURATIONS: the parameters of each way to run it, by name;
- train(files, parameters, settings, model) -> Costs: reads, bins and trains from
  text, and saves the model;
- scores(files, model, stages): validation scores after each number of trees.

All systems are given the same task (Settings) in their own words.
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
    load: float = 0.0  # seconds until training can begin
    iterations: list[float] = field(default_factory=list)  # seconds
    idle_mib: float = 0.0  # memory with all libraries loaded, before anything is read
    peak_mib: float = 0.0  # memory at most, resident
