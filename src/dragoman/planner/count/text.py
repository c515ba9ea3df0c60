"""Smaller networks for text as their forward passes: recurrent language models, recurrent
classifiers and taggers, and the convolutional classifier (text CNN)."""

from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.planner.count.layers import embedding, linear, output
from dragoman.planner.count.recurrent import StackShape, recurrent_stack, state_parts
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import INTEGER, Signal, Tape


def recurrent_language_model(
    tape: Tape, settings: RecurrentLanguageSettings, sizes: Sizes
) -> Signal:
    """Count a recurrent language model."""
    aliases = ["/output.weight"] if settings.tied else []
    length, width = sizes.target_length, settings.embedding_width
    rows = sizes.batch * length
    x, table = embedding(tape, "embedding", rows, sizes.source_vocab, width, *aliases)
    words = tape.dropout(x.view(sizes.batch, length, width), settings.dropout)
    shape = StackShape(
        settings.cell,
        settings.width,
        settings.layers,
        residual=settings.residual,
        dropout=settings.dropout,
    )
    states = recurrent_stack(tape, "layers", shape, words)
    states = tape.dropout(states, settings.dropout)
    if settings.first_width is not None:
        made = settings.layers * state_parts(settings.cell) * settings.width
        with tape.part("first", "linear"):
            tape.note("for a text that begins with a vector")
            tape.weight(settings.first_width * made, "matrix", "weight")
            tape.weight(made, "bias", "bias")
    tied = table if settings.tied else None
    rows = sizes.loss_tokens or rows
    return output(tape, states, sizes.source_vocab, table=tied, bias=True, rows=rows)


def recurrent_classifier(
    tape: Tape, settings: RecurrentClassifierSettings, sizes: Sizes, *, tags: bool = False
) -> Signal:
    """Count a recurrent classifier of texts, or with `tags` of each token."""
    batch, length, width = sizes.batch, sizes.source_length, settings.embedding_width
    x, _ = embedding(tape, "embedding", batch * length, sizes.source_vocab, width)
    words = tape.dropout(x.view(batch, length, width), settings.dropout)
    shape = StackShape(
        settings.cell,
        settings.width,
        settings.layers,
        bidirectional=settings.bidirectional,
        residual=settings.residual,
        dropout=settings.dropout,
    )
    states = recurrent_stack(tape, "layers", shape, words)
    each = tags or settings.each
    judged = tape.signal(
        *((batch, length) if each else (batch,)), shape.output_width, slope=states.slope
    )
    return linear(tape, "output", tape.dropout(judged, settings.dropout), sizes.classes)


def text_cnn(tape: Tape, settings: TextCnnSettings, sizes: Sizes) -> Signal:
    """Count the filters at each window that touches the text: n + k - 1 of k tokens each."""
    batch, length, width = sizes.batch, sizes.source_length, settings.embedding_width
    x, _ = embedding(tape, "embedding", batch * length, sizes.source_vocab, width)
    words = tape.signal(batch, length, width, slope=x.slope)
    found = words
    for number, kernel in enumerate(settings.kernel_sizes):
        with tape.part(f"filters.{number}", f"convolution of {kernel}"):
            trained = tape.weight(width * settings.filters * kernel, "matrix", "weight")
            tape.weight(settings.filters, "bias", "bias")
            windows = batch * (length + kernel - 1)
            flops = 2 * windows * settings.filters * kernel * width
            tape.product(flops, words.slope, trained)
            tape.keep(words)
            found = tape.signal(batch, settings.filters, length + kernel - 1, slope=True)
            tape.keep(found)
            tape.keep_bytes(INTEGER * batch * settings.filters)
    together = tape.signal(batch, len(settings.kernel_sizes) * settings.filters, slope=found.slope)
    return linear(tape, "output", tape.dropout(together, settings.dropout), sizes.classes)
