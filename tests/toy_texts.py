"""Tiny plain texts in which every word is known from the others, and recipes to learn them."""

from pathlib import Path

ANIMALS = [
    "cat eats fish",
    "dog gnaws bones",
    "cow chews grass",
    "bee sips nectar",
    "owl hunts mice",
    "pig digs roots",
]
DAYS = [
    "red monday",
    "blue tuesday",
    "green wednesday",
    "white thursday",
    "black friday",
    "grey saturday",
    "pink sunday",
]
SENTENCES = [f"on {day} the {animal}" for day in DAYS for animal in ANIMALS]

COMMON = """
name = "toy"
seed = 3

[corpus]
kind = "text"
train = "text.txt"
documents = "lines"
held_out = 0.2

[tokenizer]
kind = "words"

[objective]
label_smoothing = 0.0

[optimizer]
learning_rate = 1e-2

[schedule]
warmup_steps = 10

[training]
steps = 60
threads = 1
device = "cpu"
log_every = 20
validate_every = 30
checkpoint_every = 60

[batches]
max_tokens = 256
max_length = 32
"""

MASKED = """
[task]
kind = "masked-lm"

[model]
kind = "encoder"
width = 32
heads = 2
layers = 1
ffn_width = 64
dropout = 0.0
max_positions = 32
"""

SPANS = """
[task]
kind = "span-corruption"
mean_span_length = 1.0

[model]
kind = "transformer"
width = 32
heads = 2
encoder_layers = 1
decoder_layers = 1
ffn_width = 64
dropout = 0.0
"""

LANGUAGE = """
[task]
kind = "language-model"

[model]
kind = "decoder-only"
width = 32
heads = 2
layers = 1
ffn_width = 64
dropout = 0.0
positions = "rotary"
"""


def write_toy(folder: Path, sections: str, lines: list[str]) -> Path:
    """Write a text, one line after the other, and the recipe to learn it; return the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "text.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "toy.toml").write_text(COMMON + sections, encoding="utf-8")
    return folder / "toy.toml"
