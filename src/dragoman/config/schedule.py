"""How the learning rate rises and falls; each schedule with the keys that it has."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dragoman.config.settings import Settings


class InverseSqrt(Settings):
    """Falls as one over the root of the steps (Vaswani et al. 2017)."""

    kind: Literal["inverse-sqrt"] = "inverse-sqrt"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    min_ratio: float = Field(0.0, ge=0.0, le=1.0)
    """Share of the highest rate below which it does not fall."""


class Linear(Settings):
    """Falls along a straight line, and stays where that ends."""

    kind: Literal["linear"] = "linear"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    decay_steps: int = Field(0, ge=0)
    """Steps after the warm-up over which the rate falls; 0 takes all."""

    min_ratio: float = Field(0.0, ge=0.0, le=1.0)
    """Share of the highest rate at which the line ends."""


class Cosine(Settings):
    """Falls along half a cosine: slowly, then fast, then slowly (Loshchilov & Hutter 2017)."""

    kind: Literal["cosine"] = "cosine"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    min_ratio: float = Field(0.0, ge=0.0, le=1.0)
    """Share of the highest rate at which the cosine ends."""


class Constant(Settings):
    """Stays at the highest rate."""

    kind: Literal["constant"] = "constant"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    @model_validator(mode="before")
    @classmethod
    def _without_a_floor_of_nothing(cls, given: Any) -> Any:
        """Read older run folders, which have `floor = 0.0` for every kind."""
        if isinstance(given, dict) and given.get("floor") == 0:
            return {key: value for key, value in given.items() if key != "floor"}
        return given


class Exponential(Settings):
    """Is multiplied by a factor again and again."""

    kind: Literal["exponential"] = "exponential"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    factor: float = Field(0.99, gt=0.0, le=1.0)
    """What the rate is multiplied by each time."""

    every: int = Field(0, ge=0)
    """Steps after the warm-up from one time to the next; 0 is once after each epoch, counted from
    the first step."""

    min_ratio: float = Field(0.0, ge=0.0, le=1.0)
    """Share of the highest rate below which it does not fall."""


class Plateau(Settings):
    """Is multiplied by a factor whenever the validation loss has stopped falling."""

    kind: Literal["plateau"] = "plateau"

    warmup_steps: int = Field(1000, ge=0)
    """Steps over which the rate rises from nothing to its highest."""

    factor: float = Field(0.5, gt=0.0, le=1.0)
    """What the rate is multiplied by each time."""

    patience: int = Field(2, ge=1)
    """Validations in a row without a lower loss after which it is multiplied."""

    min_ratio: float = Field(0.0, ge=0.0, le=1.0)
    """Share of the highest rate below which it does not fall."""


ScheduleSettings = Annotated[
    InverseSqrt | Linear | Cosine | Constant | Exponential | Plateau, Field(discriminator="kind")
]
