"""A toy of tagging that needs what follows: which "big" and "the" stand before an animal."""

import random

RECIPE = """
name = "marker"
seed = 3

[task]
kind = "tagging"

[corpus]
kind = "tagged"
train = "corpus.tsv"
held_out = 0.2

[tokenizer]
kind = "words"

[batches]
max_tokens = 256
max_length = 16

[objective]
label_smoothing = 0.0

[optimizer]
learning_rate = 0.03

[schedule]
kind = "cosine"
warmup_steps = 3

[training]
steps = 40
threads = 1
device = "cpu"
log_every = 4
validate_every = 20
checkpoint_every = 5
best_metric = "accuracy"
"""

NETWORKS = {
    "bi-lstm": ["model={kind = 'recurrent-classifier', embedding_width = 8, width = 8}"],
    "encoder": [
        "model={kind = 'encoder', width = 16, heads = 2, layers = 1, ffn_width = 32, "
        "positions = 'relative', norm = 'pre', dropout = 0.0}",
        "optimizer.learning_rate=0.02",
        "training.steps=60",
    ],
}
KINDS = {"ANIMAL": ("cat", "dog", "bird", "owl"), "PLANT": ("tree", "rose", "fern", "oak")}


def sentences(count=150, seed=1):
    """Draw sentences of noun phrases, marked by what their noun is (BIO), and of verbs."""
    draw = random.Random(seed)
    found = set()
    while len(found) < count:
        words, labels = [], []
        for _ in range(draw.randint(1, 3)):
            kind = draw.choice([*KINDS])
            phrase = ["the", *draw.choices(["big", "red", "old"], k=draw.randint(0, 2))]
            phrase.append(draw.choice(KINDS[kind]))
            words += [*phrase, draw.choice(["sees", "likes"])]
            labels += [f"B-{kind}", *[f"I-{kind}"] * (len(phrase) - 1), "O"]
        found.add((tuple(words[:-1]), tuple(labels[:-1])))
    return sorted(found)


def conll(sentences):
    """Write sentences as a file has them."""
    return "\n".join(
        "".join(f"{word}\t{label}\n" for word, label in zip(*one, strict=True)) for one in sentences
    )


def write_marker(folder):
    """Write the corpus and the recipe; return the recipe."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.tsv").write_text(conll(sentences()), encoding="utf-8")
    (folder / "marker.toml").write_text(RECIPE, encoding="utf-8")
    return folder / "marker.toml"
