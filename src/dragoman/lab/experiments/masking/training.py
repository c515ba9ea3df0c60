"""Training the networks that are compared: masked ones in several ways, and a causal one."""

from contextlib import closing

from dragoman.config.batches import BatchSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.task import MaskedTaskSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.batching.endless import Position
from dragoman.data.batching.masked_stream import masked_stream
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.lab.small_training import begin, train_small
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.tasks.language_model.objective import NextTokenObjective
from dragoman.tasks.masked_lm.objective import MaskedObjective

WIDTH, HEADS, LAYERS, INNER = 64, 4, 2, 128
BATCHES = BatchSettings(max_tokens=1024, max_length=64)
PLAIN = ObjectiveSettings(label_smoothing=0.0)


def train_masked(
    task: MaskedTaskSettings, store: TextStore, tokenizer: Tokenizer, steps: int, rate: float,
    seed: int,
) -> Encoder:  # fmt: skip
    """Train an encoder to predict masked words, and the next sentence where the task asks."""
    begin(seed)
    settings = EncoderSettings(
        width=WIDTH, heads=HEADS, layers=LAYERS, ffn_width=INNER, norm="pre", dropout=0.0,
        positions="learned", max_positions=64, segments=2, pooler=True, next_sentence_head=True,
    )  # fmt: skip
    model = Encoder(settings, tokenizer.size)
    stream = masked_stream(task, store, tokenizer, BATCHES, seed)
    with closing(stream.at(Position())) as batches:
        train_small(
            MaskedObjective(model, PLAIN), batches, steps=steps, learning_rate=rate, seed=seed
        )
    return model


def train_causal(
    store: TextStore, tokenizer: Tokenizer, steps: int, rate: float, seed: int
) -> DecoderOnly:
    """Train a decoder of the same size to predict the next word."""
    begin(seed)
    settings = DecoderOnlySettings(
        width=WIDTH, heads=HEADS, layers=LAYERS, ffn_width=INNER, activation="gelu", dropout=0.0,
        positions="learned", max_positions=64, output_bias=True,
    )  # fmt: skip
    model = DecoderOnly(settings, tokenizer.size, tokenizer.size, prompt_end=1)
    stream = ChunkStream(store, BATCHES, seed, packed=True)
    with closing(stream.at(Position())) as batches:
        train_small(
            NextTokenObjective(model, PLAIN), batches, steps=steps, learning_rate=rate, seed=seed
        )
    return model
