"""How text is drawn from a language model, token by token."""

from typing import Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings

MOST_TOKENS = 100_000
"""Of one text that is drawn."""


class SamplingSettings(Settings):
    """How the next token is chosen, and how long a text may become."""

    temperature: float = Field(1.0, ge=0.0, le=100.0)
    """Scores are divided by it: below 1 the likely becomes likelier; 0 takes the likeliest."""

    top_k: int = Field(0, ge=0, le=1_000_000)
    """Draw from this many of the likeliest tokens alone (Fan et al. 2018); 0 draws from all."""

    top_p: float = Field(1.0, gt=0.0, le=1.0)
    """Draw from the fewest likeliest tokens that together have this probability (Holtzman et al.
    2020); 1 draws from all."""

    repetition_penalty: float = Field(1.0, gt=0.0, le=100.0)
    """Log-probabilities of tokens that have come already are multiplied by it (Keskar et al. 2019);
    1 leaves them."""

    min_tokens: int = Field(0, ge=0, le=MOST_TOKENS)
    """Tokens that must come before a text may end."""

    max_tokens: int = Field(200, ge=1, le=MOST_TOKENS)
    """Tokens after which a text is cut."""

    @model_validator(mode="after")
    def _lengths_are_in_order(self) -> Self:
        if self.min_tokens > self.max_tokens:
            raise ValueError(
                f"min_tokens {self.min_tokens} is more than max_tokens {self.max_tokens}. "
                "Lower the one or raise the other."
            )
        return self
