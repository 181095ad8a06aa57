"""The settings of a training run, the same for both systems."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    hidden: tuple[int, ...] = (512, 256, 128)
    dropout: float = 0.0
    rate: float = 1e-3  # learning rate of Adam
