"""Make the runs of `run-v2`: a small one of every kind, as the code of the day stores it.

    python -m tests.golden.make_run_v2 FOLDER

It stands here to be read: the stored runs are never made again. Each is trained in a folder that
vanishes. Kept is what is needed to use it and to train it further, without its corpus and without
the name of any machine, and what the code of the day made of it: `expected.json`.
"""

import json
import random
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image
from tests.golden.kinds import PLACE, USES, copied, train_on

from dragoman.trainer import train

KEPT = (
    *("recipe.toml", "model.safetensors", "tokenizer.json", "card.md", "metrics.jsonl"),
    *("data", "best", "state", "adapter"),
)
COMMON = (
    *("seed=3", "training.threads=1", "training.device=cpu", "training.log_every=10"),
    *("training.validate_every=40", "training.checkpoint_every=1000"),  # one state, the last
    *("training.validation_sentences=5", "training.keep=1"),
)
PETS = """
task = {kind = "text-classification"}
corpus = {kind = "labeled", train = "pets.tsv", held_out = 0.2}
batches = {tokens = 128, longest = 12}
"""
SHAPES = """
corpus = {kind = "shapes", images = 120, held_out = 20, size = 8}
images = {together = 24, mirror = true, cut = 1}
"""
RECIPES = {
    "translation": """
corpus = {kind = "files", train = "pairs.tsv", held_out = 20}
tokenizer = {kind = "bpe", vocabulary = 330}
batches = {tokens = 256, longest = 32}
decoding = {beam = 2}
model = {width = 16, heads = 2, encoder_layers = 1, decoder_layers = 1, inner_width = 16, \
dropout = 0.0}
optimiser = {kind = "adamw", rate = 0.02}
schedule = {kind = "inverse-sqrt", warmup = 20}
training = {steps = 240, average = 0.9}
""",
    "translation-recurrent": """
corpus = {kind = "grammar", pairs = 80, held_out = 20, difficulty = 1}
tokenizer = {kind = "words", shared = false}
batches = {tokens = 256, longest = 32}
decoding = {beam = 2}
[model]
kind = "recurrent"
cell = {kind = "gru", reset = "before"}
width = 8
embedding_width = 8
context = "additive"
readout = "maxout"
tied = "target"
dropout = 0.1
[objective]
label_smoothing = 0.0
teacher_forcing = 0.9
[optimizer]
kind = "adam"
learning_rate = 0.02
[schedule]
kind = "exponential"
warmup_steps = 10
factor = 0.9
every = 50
[training]
steps = 200
""",
    "translation-decoder-only": """
corpus = {kind = "several", parts = [{train = "pairs.tsv", held_out = 20, examine = false, \
both_ways = true, source_language = "en", target_language = "fr"}]}
tokenizer = {kind = "words", shared = true}
batches = {tokens = 128, longest = 32}
augmentation = {punctuation = 0.1}
model = {kind = "decoder-only", width = 16, heads = 2, layers = 1, inner_width = 16, \
positions = "rotary", activation = "swiglu", normalisation = "rms", loss_on = "both"}
optimiser = {kind = "adamw", rate = 0.02}
schedule = {kind = "linear", warmup = 20, over = 400, floor = 0.1}
training = {steps = 200, accumulate = 2}
""",
    "translation-prefix": """
corpus = {train = "pairs.tsv", held_out = 10, examine = false, seed = 4}
batches = {tokens = 256, longest = 32}
start = {from = "../translation", how = "prefix", length = 3, through = 8}
optimiser = {kind = "adamw", rate = 0.02}
schedule = {kind = "constant", warmup = 0}
training = {steps = 30, final = "last"}
""",
    "language": """
task = {kind = "language-model"}
corpus = {kind = "text", train = "counting.txt", documents = "lines", held_out = 0.2}
batches = {tokens = 128, longest = 24}
tokenizer = {kind = "bpe", vocabulary = 330}
model = {kind = "decoder-only", width = 16, heads = 2, layers = 1, inner_width = 16, \
positions = "alibi", dropout = 0.0}
optimiser = {kind = "adamw", rate = 0.02}
schedule = {kind = "cosine", warmup = 10, floor = 0.2}
training = {steps = 120, judge = "loss"}
""",
    "language-recurrent": """
task = {kind = "language-model"}
corpus = {kind = "grammar-text", sentences = 100, held_out = 20, difficulty = 1}
tokenizer = {kind = "characters", vocabulary = 300}
batches = {tokens = 256, longest = 48}
model = {kind = "recurrent-language", cell = "lstm", word_width = 12, width = 12}
optimiser = {kind = "rmsprop", rate = 0.02}
schedule = {kind = "constant", warmup = 10}
training = {steps = 120, judge = "loss"}
""",
    "language-lora": """
task = {kind = "language-model"}
corpus = {kind = "text", train = "by-threes.txt", documents = "lines", held_out = 0.2}
batches = {tokens = 128, longest = 24}
start = {from = "../language", how = "lora", rank = 4, alpha = 8.0, \
targets = ["query", "value", "inner"]}
optimiser = {kind = "adamw", rate = 0.02}
schedule = {kind = "constant", warmup = 0}
training = {steps = 120, judge = "loss"}
""",
    "masked": """
task = {kind = "masked-lm", share = 0.25, whole_words = true}
corpus = {kind = "text", train = "days.txt", held_out = 0.2, documents = "lines"}
tokenizer = {kind = "words"}
batches = {tokens = 256, longest = 32}
model = {kind = "encoder", width = 16, heads = 2, layers = 1, inner_width = 16, longest = 32, \
dropout = 0.0}
optimiser = {kind = "adamw", rate = 0.01}
schedule = {kind = "plateau", warmup = 10, patience = 1}
training = {steps = 200, judge = "loss"}
""",
    "spans": """
task = {kind = "span-corruption", share = 0.25, mean = 1.0}
corpus = {kind = "text", train = "days.txt", held_out = 0.2, documents = "lines"}
tokenizer = {kind = "words"}
batches = {tokens = 256, longest = 32}
model = {width = 16, heads = 2, encoder_layers = 1, decoder_layers = 1, inner_width = 16, \
positions = "t5", buckets = 8, bucket_reach = 16, dropout = 0.0}
optimiser = {kind = "adamw", rate = 0.01}
schedule = {kind = "inverse-sqrt", warmup = 20}
training = {steps = 200, judge = "loss"}
""",
    "classification": f"""{PETS}
tokenizer = {{kind = "wordpiece", vocabulary = 320}}
model = {{kind = "encoder", width = 8, heads = 2, layers = 1, inner_width = 8, longest = 12}}
optimiser = {{kind = "nesterov", rate = 0.05}}
schedule = {{kind = "constant", warmup = 5}}
training = {{steps = 80, judge = "macro_f1"}}
""",
    "classification-recurrent": """
task = {kind = "text-classification"}
corpus = {kind = "generated-labels", task = "agreement", texts = 60, held_out = 20}
tokenizer = {kind = "words"}
batches = {tokens = 128, longest = 32}
model = {kind = "recurrent-classifier", cell = "gru", word_width = 8, width = 8, pooling = "max"}
optimiser = {kind = "adagrad", rate = 0.1}
schedule = {kind = "constant", warmup = 5}
training = {steps = 80, judge = "accuracy"}
""",
    "classification-cnn": """
task = {kind = "text-classification"}
corpus = {kind = "generated-labels", task = "lag", texts = 60, held_out = 20}
tokenizer = {kind = "characters", vocabulary = 300}
batches = {tokens = 256, longest = 40}
model = {kind = "text-cnn", word_width = 8, widths = [2, 3], filters = 8}
optimiser = {kind = "momentum", rate = 0.1}
schedule = {kind = "constant", warmup = 5}
training = {steps = 80, judge = "accuracy"}
""",
    "classification-frozen": f"""{PETS}
start = {{from = "../masked", how = "frozen", trained = ["norms"]}}
optimiser = {{kind = "sgd", rate = 0.5}}
schedule = {{kind = "constant", warmup = 0}}
training = {{steps = 40, judge = "accuracy"}}
""",
    "images": f"""{SHAPES}
task = {{kind = "image-classification"}}
model = {{kind = "cnn", widths = [8, 8], hidden = 16, dropout = 0.1}}
optimiser = {{kind = "adamw", rate = 0.02}}
schedule = {{kind = "constant", warmup = 5}}
training = {{steps = 200, judge = "accuracy", average = 0.9}}
""",
    "images-resnet": f"""{SHAPES}
task = {{kind = "image-classification"}}
model = {{kind = "resnet", stages = [1, 1], width = 4}}
optimiser = {{kind = "momentum", rate = 0.1, decay = 1e-4}}
schedule = {{kind = "constant", warmup = 5}}
training = {{steps = 160, judge = "accuracy"}}
""",
    "images-vit": """
task = {kind = "image-classification"}
corpus = {kind = "images", train = "patterns", size = 8, colours = false, held_out = 0.2}
images = {together = 12}
model = {kind = "vit", patch = 4, width = 8, layers = 1, heads = 2, inner_width = 16}
optimiser = {kind = "adamw", rate = 0.01}
schedule = {kind = "constant", warmup = 5}
training = {steps = 60, judge = "accuracy"}
""",
    "autoencoding": f"""{SHAPES.replace(", cut = 1", ", shift = 1")}
task = {{kind = "autoencoding", noise = 0.2, hidden = 0.1}}
model = {{kind = "autoencoder", form = "convolutional", widths = [4, 8], code = 4}}
optimiser = {{kind = "adamw", rate = 0.01}}
schedule = {{kind = "constant", warmup = 5}}
training = {{steps = 100, judge = "loss"}}
""",
    "image-text": """
task = {kind = "image-text", stretch = 0.05}
corpus = {kind = "captions", train = "captions.tsv", size = 8, held_out = 0.2}
tokenizer = {kind = "words"}
batches = {longest = 8}
images = {together = 12}
[model]
kind = "clip"
width = 8
image = {kind = "patches", patch = 4, width = 8, heads = 2, layers = 1, inner_width = 16}
text = {width = 8, heads = 2, layers = 1, inner_width = 16, longest = 8, dropout = 0.0}
[objective]
label_smoothing = 0.0
[optimizer]
kind = "adamw"
learning_rate = 0.01
[schedule]
kind = "constant"
warmup_steps = 5
[training]
steps = 240
best_metric = "recall_at_10"
final = "last"
""",
}
WORDS = {
    **{"sun": "soleil", "moon": "lune", "sea": "mer", "sky": "ciel", "red": "rouge"},
    **{"blue": "bleu", "cat": "chat", "dog": "chien", "tree": "arbre", "bird": "oiseau"},
    **{"fish": "poisson", "song": "chanson"},
}
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
ANIMALS = ("cat eats fish", "dog gnaws bones", "cow chews grass", "bee sips nectar")
DAYS = ("red monday", "blue tuesday", "green wednesday", "white thursday", "black friday")
COLORS = {
    "red": ("laal", (230, 20, 20)),
    "green": ("haraa", (20, 200, 20)),
    "blue": ("niilaa", (20, 20, 230)),
    "black": ("kaalaa", (0, 0, 0)),
    "yellow": ("piilaa", (240, 230, 0)),
}
ROW, COLUMN = np.indices((8, 8))
PATTERNS = {
    "square": (abs(ROW - 3.5) < 2) & (abs(COLUMN - 3.5) < 2),
    "stripes": ROW % 4 < 2,
    "top": ROW < 4,
    "left": COLUMN < 4,
    "cross": (ROW == COLUMN) | (ROW + COLUMN == 7),
}


def write_corpora(folder):
    """Write all that the recipes read, of which each takes its own."""
    draw = random.Random(1)
    texts = {" ".join(draw.choices([*WORDS], k=draw.randint(1, 5))) for _ in range(240)}
    words = [text.split() for text in sorted(texts)]
    lines = {
        "pairs.tsv": [f"{' '.join(w)}\t{' '.join(WORDS[one] for one in w)}" for w in words],
        "pets.tsv": [f"{' '.join(w)}\t{'pet' if {'cat', 'dog'} & {*w} else 'none'}" for w in words],
        "counting.txt": counting(1),
        "by-threes.txt": counting(3),
        "days.txt": [f"on {day} the {animal}" for day in DAYS for animal in ANIMALS],
    }
    lines["days.txt"] += [f"the {animal} on {day}" for day in DAYS for animal in ANIMALS]
    for name, each in lines.items():
        (folder / name).write_text("".join(f"{line}\n" for line in each), encoding="utf-8")
    write_patterns(folder / "patterns")
    write_captions(folder)


def counting(step):
    """Lines in which the next word is certain: they count on, round and round."""
    return [" ".join(NUMBERS[(n + step * k) % 10] for k in range(4 + n % 7)) for n in range(70)]


def write_patterns(folder):
    draw = np.random.default_rng(2)
    for kind, pattern in PATTERNS.items():
        (folder / kind).mkdir(parents=True)
        for number in range(12):
            grey = draw.integers(0, 80, (8, 8)) + 150 * pattern
            Image.fromarray(grey.astype(np.uint8)).save(folder / kind / f"{number}.png")


def write_captions(folder):
    lines = ["image\tcaption\tkeywords\tlanguage\n"]
    for color, (hindi, paint) in COLORS.items():
        for kind, pattern in PATTERNS.items():
            image = np.full((8, 8, 3), 255, dtype=np.uint8)
            image[pattern] = paint
            name = f"{color}-{kind}.png"
            Image.fromarray(image).save(folder / name)
            lines.append(f"{name}\t{color} {kind}\t{color}|{kind}\ten\n")
            lines.append(f"{name}\t{hindi} {kind}\t{hindi}\thi\n")
    (folder / "captions.tsv").write_text("".join(lines), encoding="utf-8")


def make(name, work):
    """Train a run in a folder of its own, beside those it may start from."""
    folder = work / name
    folder.mkdir()
    write_corpora(folder)
    (folder / "asked.toml").write_text(f'name = "{name}"\n{RECIPES[name]}', encoding="utf-8")
    train(folder / "asked.toml", COMMON, folder=folder)
    return folder


def keep(run, place):
    """Keep what the run needs, without the name of this machine; relative where it can be."""
    place.mkdir(parents=True)
    for path in (run / name for name in KEPT):
        if path.is_dir():
            shutil.copytree(path, place / path.name)
        elif path.is_file():
            shutil.copy(path, place)
    for path in place.rglob("*"):
        if path.suffix in (".toml", ".json", ".jsonl", ".md"):
            text = path.read_text(encoding="utf-8")
            told = text.replace(f"{run}/", "") if path.suffix == ".toml" else text
            path.write_text(told.replace(str(run), PLACE), encoding="utf-8")


def expect(name, stored, work):
    """Say what the code of the day makes of a stored run."""
    use = USES[name]
    return {
        "outputs": rounded(use.outputs(stored)),
        "figures": rounded(use.figures(copied(stored, work / f"{name}-judged"))),
        "losses": rounded([*train_on(copied(stored, work / f"{name}-further")).values()]),
    }


def rounded(value):
    """Round every number in plain values."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, 6) if isinstance(value, float) else value


def main(place):
    """Make all runs."""
    if place.exists():
        sys.exit(f"{place} is there already, and is never made again.")
    with TemporaryDirectory() as temporary:
        work = Path(temporary).resolve()
        for name in RECIPES:
            stored = place / name
            keep(make(name, work), stored)
            told = json.dumps(expect(name, stored, work), ensure_ascii=False, indent=1)
            (stored / "expected.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
