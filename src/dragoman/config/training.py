"""What is made small, how long, and who looks on."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dragoman.config.optimizer import AdamW as AdamW
from dragoman.config.optimizer import OptimizerSettings as OptimizerSettings
from dragoman.config.sampling import SamplingSettings
from dragoman.config.schedule import ScheduleSettings as ScheduleSettings
from dragoman.config.settings import Settings

MOST_HYPOTHESES = 1024
"""Of a beam."""

LARGEST_SEARCH = 40_960
"""Hypotheses times steps of a search in a source of ten tokens."""


class ObjectiveSettings(Settings):
    """Cross entropy of the next token."""

    label_smoothing: float = Field(0.1, ge=0.0, lt=1.0)
    """Probability spread evenly over the vocabulary instead of put on the right token."""

    teacher_forcing: float = Field(1.0, ge=0.0, le=1.0)
    """Share of the target steps that are told the right last token while training; the others are
    told what the model itself holds likeliest. 0 is free running. For recurrent models."""

    teacher_forcing_end: float | None = Field(None, ge=0.0, le=1.0)
    """That share at the end of training, reached in a straight line; constant if left out."""


class TrainingSettings(Settings):
    """How long to train, and what to do on the way."""

    steps: int = Field(10_000, ge=1)
    """Optimizer steps in all."""

    accumulate: int = Field(1, ge=1)
    """Batches whose gradients are added up before a step."""

    clip_norm: float = Field(1.0, ge=0.0)
    """Largest norm of the gradient; 0 leaves it as it is."""

    clip_value: float = Field(0.0, ge=0.0)
    """Largest size of each number of the gradient, seen to after its norm; 0 leaves them."""

    gradient_checkpointing: bool = False
    """Recompute layers in the backward pass: less memory, about a third more time."""

    ema_decay: float = Field(0.0, ge=0.0, lt=1.0)
    """Decay of an exponential moving average of the weights, used to validate and to keep;
    0 is off."""

    precision: Literal["float32", "bfloat16"] = "float32"
    """Arithmetic of the forward pass; bfloat16 is for accelerators, and slow on most CPUs."""

    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"

    threads: int = Field(0, ge=0)
    """Processor threads; 0 takes all cores. Bits repeat only for the same number."""

    log_every: int = Field(50, ge=1)
    validate_every: int = Field(1000, ge=1)
    checkpoint_every: int = Field(1000, ge=1)

    patience: int = Field(0, ge=0)
    """Validations without a better score after which training stops; 0 never stops early."""

    best_metric: Literal[
        "loss", "bleu", "chrf", "accuracy", "macro_f1", "entity_f1", "recall_at_10"
    ] = "chrf"
    """The validation figure that chooses the best weights; a task that has no such figure is judged
    by its loss."""

    validation_sentences: int = Field(500, ge=1)
    """Sentences translated at each validation, a random sample of distinct sources; the loss is
    taken over the whole set."""

    keep: int = Field(3, ge=1)
    """Best weights kept besides the newest states, within `disk`."""

    final: Literal["best", "last", "averaged"] = "best"
    """The weights of the finished run: the best, the last, or the mean of the best `keep`."""

    disk: float = Field(4.0, gt=0.0)
    """GiB that the stored states may fill; the worst of the best go first."""

    bad_steps: int = Field(0, ge=0)
    """Steps in a row whose gradient is not finite that may be skipped; one more stops the run."""


class DecodingSettings(Settings):
    """How the best translation is looked for."""

    search: Literal["beam", "sample", "mbr"] = "beam"
    """The likeliest translation by beam search, one by sampling, or of `samples` samples the one
    most like all the others (minimum Bayes risk, Kumar & Byrne 2004)."""

    beam: int = Field(5, ge=1, le=MOST_HYPOTHESES)
    """Beam size; 1 is greedy."""

    groups: int = Field(1, ge=1, le=MOST_HYPOTHESES)
    """Groups of the beam that keep out of each other's way (Vijayakumar et al. 2016)."""

    diversity_penalty: float = Field(0.5, ge=0.0, le=100.0)
    """What a token costs a group, in log-probability, for each place of earlier groups that has
    just taken it."""

    length_penalty: float = Field(1.0, ge=0.0, le=100.0)
    """Scores are divided by length to this power; 0 favours short output."""

    coverage_penalty: float = Field(0.0, ge=0.0, le=100.0)
    """How much score an output loses for source tokens without attention (Wu et al. 2016);
    for models with attention."""

    max_length_ratio: float = Field(2.0, gt=0.0, le=100.0)
    max_length_extra: int = Field(20, ge=1, le=4096)
    """Longest output in tokens: `max_length_ratio` times the source's, plus `max_length_extra`."""

    no_repeat_ngram: int = Field(0, ge=0, le=1000)
    """No n-gram of this many tokens may come twice; 0 allows it."""

    loop_guard: int = Field(4, ge=0, le=1000)
    """How often a phrase may stand in a row before the search must leave it; 0 is off."""

    stutter_guard: Literal["off", "pipeline", "always"] = "pipeline"
    """Whether words and subwords may stand twice in a row that neither the source nor the training
    targets double: "pipeline" forbids it in translations of text and files, "always" also where the
    bare network is scored."""

    batch_tokens: int = Field(4096, ge=1, le=1_000_000)
    """Padded tokens per batch while translating."""

    precision: Literal["float32", "int8"] = "float32"
    """Arithmetic of the matrices once training is over; whole numbers of 8 bits are faster on
    processors, and cost a little quality."""

    shortlist: int = Field(0, ge=0, le=200)
    """Target entries that each source entry may bring forth, besides the commonest ones, counted
    out of the training pairs; fewer are faster. 0 considers the whole vocabulary."""

    samples: int = Field(32, ge=1, le=256)
    """Translations drawn for each text, where `search` is "mbr"."""

    seed: int = Field(1, ge=0, lt=2**63)
    """What is drawn for a text follows from it and from the text alone."""

    sampling: SamplingSettings = SamplingSettings()
    """How the next token is drawn; no output becomes longer than a beam's would."""

    @model_validator(mode="after")
    def _groups_part_the_beam(self) -> Self:
        if self.beam % self.groups:
            raise ValueError(
                f"a beam of {self.beam} does not part into {self.groups} equal groups. "
                f"Use a beam that is a multiple of {self.groups}."
            )
        return self

    @model_validator(mode="after")
    def _search_is_bounded(self) -> Self:
        width = {"beam": self.beam, "sample": 1, "mbr": self.samples}[self.search]
        steps = round(10 * self.max_length_ratio) + self.max_length_extra
        if width * steps > LARGEST_SEARCH:
            raise ValueError(
                f"{width:,} hypotheses of up to {steps:,} tokens for a source of ten would take "
                f"far too long. Lower {'samples' if self.search == 'mbr' else 'beam'}, "
                "max_length_ratio or max_length_extra."
            )
        return self
