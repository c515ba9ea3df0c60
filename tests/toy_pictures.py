"""Coloured patterns with names in two languages, and a recipe that learns to match them."""

import numpy as np
from PIL import Image

COLORS = {
    "red": (230, 20, 20),
    "green": (20, 200, 20),
    "blue": (20, 20, 230),
    "black": (0, 0, 0),
    "yellow": (240, 230, 0),
    "pink": (250, 120, 200),
}
HINDI = dict(zip(COLORS, ("laal", "haraa", "niilaa", "kaalaa", "piilaa", "gulaabii"), strict=True))
SIDE = 8
RECIPE = """
name = "matcher"
seed = 3

[task]
kind = "image-text"
scale_jitter = 0.05

[corpus]
kind = "captions"
train = "table.tsv"
size = 8
held_out = 0.2

[tokenizer]
kind = "words"

[batches]
max_length = 8

[images]
batch_size = 12

[model]
kind = "clip"
width = 16

[model.image]
kind = "patches"
patch = 4
width = 16
heads = 2
layers = 1
ffn_width = 16

[model.text]
width = 16
heads = 2
layers = 1
ffn_width = 16
max_positions = 8
dropout = 0.0

[objective]
label_smoothing = 0.0

[optimizer]
learning_rate = 0.005

[schedule]
warmup_steps = 5

[training]
steps = 150
threads = 1
device = "cpu"
log_every = 5
validate_every = 75
checkpoint_every = 40
best_metric = "recall_at_10"
"""


def pattern(kind):
    place = np.indices((SIDE, SIDE))
    return {
        "square": (place >= 2).all(axis=0) & (place < 6).all(axis=0),
        "stripes": place[0] % 4 < 2,
        "columns": place[1] % 4 < 2,
        "top": place[0] < 4,
        "left": place[1] < 4,
        "cross": (place[0] == place[1]) | (place.sum(axis=0) == SIDE - 1),
    }[kind]


KINDS_OF_PATTERN = ("square", "stripes", "columns", "top", "left", "cross")


def write_corpus(folder):
    lines = ["image\tcaption\tkeywords\tlanguage\n"]
    (folder / "drawn").mkdir(parents=True)
    for color, paint in COLORS.items():
        for kind in KINDS_OF_PATTERN:
            image = np.full((SIDE, SIDE, 3), 255, dtype=np.uint8)
            image[pattern(kind)] = paint
            name = f"drawn/{color}-{kind}.png"
            Image.fromarray(image).save(folder / name)
            lines.append(f"{name}\t{color} {kind}\t{color}|{kind}\ten\n")
            lines.append(f"{name}\t{HINDI[color]} {kind}\t{HINDI[color]}\thi\n")
    (folder / "table.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "matcher.toml").write_text(RECIPE, encoding="utf-8")
    return folder / "matcher.toml"
