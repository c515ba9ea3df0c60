"""Tiny language models that can count, and adapters that count otherwise."""

from dragoman.trainer import train

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DECODER = """kind = 'decoder-only'
width = 24
heads = 2
layers = 2
ffn_width = 32
positions = '{positions}'
max_positions = 96"""
LSTM = "kind = 'recurrent-language'\nembedding_width = 16\nwidth = 16"
TASK = """
name = "{name}"
[task]
kind = "language-model"
[corpus]
kind = "text"
train = "{name}.txt"
documents = "lines"
[batches]
max_tokens = 128
max_length = 24
[objective]
label_smoothing = 0.0
[optimizer]
learning_rate = 0.01
[schedule]
kind = "constant"
warmup_steps = 5
[training]
steps = {steps}
threads = 1
device = "cpu"
log_every = 20
validate_every = {steps}
checkpoint_every = {steps}
"""


def counting(step=1):
    """Lines in which the next word is certain: they count on, round and round."""
    lines = [" ".join(WORDS[(n + step * k) % 10] for k in range(6 + n % 5)) for n in range(60)]
    return [*dict.fromkeys(lines)]


def train_language_model(folder, name="tiny", model=DECODER, steps=80):
    """Train a language model that counts, and return its run."""
    (folder / f"{name}.txt").write_text("\n".join(counting()) + "\n")
    settings = f"[tokenizer]\nvocab_size = 330\n[model]\n{model.format(positions='rotary')}\n"
    recipe = folder / f"{name}.toml"
    recipe.write_text(TASK.format(name=name, steps=steps) + settings + "dropout = 0.0\n")
    train(recipe, folder=folder / name)
    return folder / name


def train_adapter(folder, base, name, how, step, steps=40):
    """Train an adapter that counts in other steps, and return its run."""
    (folder / f"{name}.txt").write_text("\n".join(counting(step)) + "\n")
    recipe = folder / f"{name}.toml"
    recipe.write_text(TASK.format(name=name, steps=steps) + f"[start]\nfrom = '{base}'\n{how}\n")
    train(recipe, folder=folder / name)
    return folder / name
