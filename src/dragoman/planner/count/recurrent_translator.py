"""Recurrent encoder-decoders as their forward passes, with each way of knowing the source."""

from dragoman.config.recurrent import RecurrentSettings
from dragoman.planner.count.layers import bend, embedding, linear, output, shared_embedding
from dragoman.planner.count.recurrent import (
    StackShape,
    cell_along,
    cell_weights,
    gates_of,
    keep_states,
    recurrent_stack,
    state_parts,
    state_product,
)
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import FLOAT, Signal, Table, Tape


def recurrent_translator(tape: Tape, settings: RecurrentSettings, sizes: Sizes) -> Signal:
    """Count a recurrent encoder and decoder."""
    batch = sizes.batch
    source, words, table = _embeddings(tape, settings, sizes)
    memory = recurrent_stack(
        tape, "encoder", _shape(settings, settings.encoder_layers, both=True), source
    )
    last = tape.signal(batch, settings.width, slope=memory.slope)
    with tape.part("decoder", "decoder"):
        match settings.context:
            case "first":
                said = _first(tape, settings, words, last)
            case "every":
                said = _every(tape, settings, words, last)
            case "additive":
                said = _additive(tape, settings, words, last, memory)
            case "dot" | "general" if settings.input_feeding:
                said = _feeding(tape, settings, words, last, memory)
            case "dot" | "general":
                said = _product(tape, settings, words, last, memory)
    said = tape.dropout(said, settings.dropout)
    tied = table if settings.tied != "none" else None
    rows = sizes.loss_tokens or sizes.batch * sizes.target_length
    return output(tape, said, sizes.target_vocab, table=tied, bias=False, rows=rows)


def _embeddings(
    tape: Tape, settings: RecurrentSettings, sizes: Sizes
) -> tuple[Signal, Signal, Table]:
    """Count both embeddings, one or two tables."""
    batch, width = sizes.batch, settings.word_width
    lengths = sizes.source_length, sizes.target_length
    aliases = ["/output.weight"] if settings.tied != "none" else []
    with tape.part("source_embedding", "embedding"):
        more = ["/target_embedding.table.weight", *aliases] if settings.tied == "all" else []
        x, table = embedding(tape, "table", batch * lengths[0], sizes.source_vocab, width, *more)
        source = tape.dropout(x.view(batch, lengths[0], width), settings.dropout)
    with tape.part("target_embedding", "embedding"):
        if settings.tied == "all":
            y = shared_embedding(tape, "table", batch * lengths[1], table)
        else:
            y, table = embedding(
                tape, "table", batch * lengths[1], sizes.target_vocab, width, *aliases
            )
        return source, tape.dropout(y.view(batch, lengths[1], width), settings.dropout), table


def _shape(settings: RecurrentSettings, layers: int, *, both: bool = False) -> StackShape:
    return StackShape(
        settings.cell,
        settings.width,
        layers,
        bidirectional=both and settings.bidirectional,
        residual=settings.residual,
        dropout=settings.dropout,
    )


def _bridge(tape: Tape, name: str, settings: RecurrentSettings, x: Signal) -> Signal:
    """Count the matrices from the encoder's last states to the decoder's first ones."""
    with tape.part(name, "bridge"):
        first = x
        for number in range(state_parts(settings.cell) * settings.decoder_layers):
            first = bend(tape, linear(tape, f"maps.{number}", x, settings.width), "tanh")
    return first


def _layer_by_layer(tape: Tape, settings: RecurrentSettings, last: Signal) -> Signal:
    """Begin where the encoder ended; two directions are joined by a bridge."""
    if not settings.bidirectional:
        return last
    both = tape.signal(last.shape[0], settings.memory_width, slope=last.slope)
    return _bridge(tape, "start.bridge", settings, both)


def _readout(
    tape: Tape, settings: RecurrentSettings, rows: int, widths: int, slope: bool
) -> Signal:
    """Count the layer before the output, which reads its parts side by side."""
    parts, wide = tape.signal(rows, widths, slope=slope), settings.output_width
    with tape.part("readout", f"{settings.readout} readout"):
        mixed = linear(tape, "mix", parts, 2 * wide if settings.readout == "maxout" else wide)
        if settings.readout == "maxout":
            tape.keep(mixed)
            return tape.signal(rows, wide, slope=mixed.slope)
        return bend(tape, mixed, "tanh") if settings.readout == "tanh" else mixed


def _first(tape: Tape, settings: RecurrentSettings, words: Signal, last: Signal) -> Signal:
    begins = _layer_by_layer(tape, settings, last)
    shape = _shape(settings, settings.decoder_layers)
    s = recurrent_stack(tape, "layers", shape, words, begins=begins)
    rows = words.shape[0] * words.shape[1]
    if settings.readout == "linear" and settings.output_width == settings.width:
        return s.view(rows, settings.width)
    return _readout(tape, settings, rows, settings.width, s.slope)


def _every(tape: Tape, settings: RecurrentSettings, words: Signal, last: Signal) -> Signal:
    batch, length, word = words.shape
    both = tape.signal(batch, settings.memory_width, slope=last.slope)
    summary = bend(tape, linear(tape, "summary", both, settings.width), "tanh")
    begins = _bridge(tape, "start", settings, summary)
    read = tape.signal(batch, length, word + settings.width, slope=words.slope or summary.slope)
    shape = _shape(settings, settings.decoder_layers)
    s = recurrent_stack(tape, "layers", shape, read, begins=begins)
    widths = 2 * settings.width + word
    return _readout(tape, settings, batch * length, widths, s.slope or read.slope)


def _product(
    tape: Tape, settings: RecurrentSettings, words: Signal, last: Signal, memory: Signal
) -> Signal:
    batch, length = words.shape[:2]
    begins = _layer_by_layer(tape, settings, last)
    shape = _shape(settings, settings.decoder_layers)
    s = recurrent_stack(tape, "layers", shape, words, begins=begins)
    _product_attention(tape, settings, s, memory)
    read = settings.width + settings.memory_width
    return _readout(tape, settings, batch * length, read, s.slope or memory.slope)


def _product_attention(tape: Tape, settings: RecurrentSettings, s: Signal, memory: Signal) -> None:
    """Count sᵀ h or sᵀ W h for each target position and each source position, and the context."""
    (batch, length), source = s.shape[:2], memory.shape[1]
    with tape.part("source_attention", f"{settings.context} attention"):
        keys = memory
        if settings.context == "general":
            keys = linear(tape, "key", memory, settings.width, bias=False)
        pairs = batch * length * source
        _looks(tape, 2 * pairs * settings.width, pairs, s, keys)
        tape.product(2 * pairs * memory.shape[2], s.slope or keys.slope, memory.slope)
        tape.keep(memory)


def _looks(tape: Tape, flops: int, pairs: int, s: Signal, keys: Signal) -> None:
    tape.product(flops, s.slope, keys.slope)
    tape.keep(s, keys)
    tape.keep_bytes(2 * FLOAT * pairs)


def _additive(
    tape: Tape, settings: RecurrentSettings, words: Signal, last: Signal, memory: Signal
) -> Signal:
    """Count the decoder that looks before each step; the step after the last word is not taken."""
    (batch, length, word), read = words.shape, settings.memory_width
    begins = _bridge(tape, "start", settings, last)
    slope = begins.slope or words.slope or memory.slope
    hidden, source = settings.attention_width or settings.width, memory.shape[1]
    with tape.part("source_attention", "additive attention"):
        s = tape.signal(batch * length, settings.width, slope=slope)
        linear(tape, "query", s, hidden, bias=False)
        keys = linear(tape, "key", memory, hidden, bias=False)
        pairs = batch * length * source
        with tape.part("energy", "linear"):
            trained = tape.weight(hidden, "matrix", "weight")
            # vᵀσ: the gradient of σ is no product, for v is one row
            tape.product(2 * pairs * hidden, trained)
            tape.keep_bytes(FLOAT * pairs * hidden)
        tape.keep(keys)
        tape.product(2 * pairs * read, slope or keys.slope, memory.slope)
        tape.keep(memory)
        tape.keep_bytes(2 * FLOAT * pairs)
    context = tape.signal(batch, length, read, slope=memory.slope or slope)
    _fed_layers(tape, settings, words, context, steps=length - 1, silent=0)
    return _readout(tape, settings, batch * length, settings.width + word + read, slope)


def _feeding(
    tape: Tape, settings: RecurrentSettings, words: Signal, last: Signal, memory: Signal
) -> Signal:
    """Count the decoder that is fed what it said; before the first word that is nothing."""
    batch, length = words.shape[:2]
    begins = _layer_by_layer(tape, settings, last)
    slope = begins.slope or words.slope
    fed = tape.signal(batch, length, settings.output_width, slope=slope or memory.slope)
    s = _fed_layers(tape, settings, words, fed, steps=length, silent=1)
    _product_attention(tape, settings, s, memory)
    read = settings.width + settings.memory_width
    return _readout(tape, settings, batch * length, read, s.slope or memory.slope)


def _fed_layers(
    tape: Tape, settings: RecurrentSettings, words: Signal, fed: Signal, *, steps: int, silent: int
) -> Signal:
    """Count layers on [word; fed]: all words at once, what is fed step by step.

    The first `silent` steps are fed zeros, into which no gradient flows.
    """
    (batch, length, word), shape = words.shape, _shape(settings, settings.decoder_layers)
    with tape.part("layers.layers", f"recurrent stack of {shape.layers}"):
        with tape.part("cells.0", settings.cell.kind, last_layers=shape.layers):
            trained, state, _ = cell_weights(tape, settings.cell, word + fed.shape[2], shape.width)
            per_input = 2 * gates_of(settings.cell) * shape.width * batch
            tape.product(per_input * word * length, words.slope, trained)
            tape.product(per_input * fed.shape[2] * (steps - silent), fed.slope, trained)
            tape.product(per_input * fed.shape[2] * silent, trained)
            # the biases of both sides are told by projecting one row of zeros
            tape.product(per_input // batch * (word + fed.shape[2]), trained)
            state_product(tape, shape, batch, steps, (True, True), trained=state)
            tape.keep(words, fed)
            keep_states(tape, shape, batch, steps, fused=False)
            x = tape.signal(batch, steps, shape.width, slope=True)
            tape.keep(x)
        for layer in range(1, shape.layers):
            above = cell_along(
                tape,
                f"cells.{layer}",
                shape,
                tape.dropout(x, shape.dropout),
                first_slope=True,
                from_end=shape.layers - layer,
            )
            x = tape.signal(batch, steps, shape.width, slope=True) if shape.residual else above
    return x
