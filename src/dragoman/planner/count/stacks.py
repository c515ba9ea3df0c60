"""Networks of stacked attention layers, as their forward passes: Transformer (T5), decoder-only
(GPT), encoder (BERT) and its tagger, and the text tower of CLIP."""

from dragoman.config.clip import TextTowerSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.stack import StackSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.planner.count.attention import (
    LayerShape,
    Reads,
    cross_attention_layer,
    self_attention_layer,
)
from dragoman.planner.count.layers import bend, embedding, linear, norm, output, shared_embedding
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tape import FLOAT, Signal, Table, Tape


def transformer(tape: Tape, settings: TransformerSettings, sizes: Sizes) -> Signal:
    """Count an encoder-decoder; the decoder reads as many tokens as it is asked for."""
    width, batch = settings.width, sizes.batch
    source, target = batch * sizes.source_length, batch * sizes.target_length
    aliases = ["/output.weight"] if settings.tied != "none" else []
    with tape.part("source_embedding", "embedding"):
        more = ["/target_embedding.table.weight", *aliases] if settings.tied == "all" else []
        x, table = embedding(tape, "table", source, sizes.source_vocab, width, *more)
        memory = _placed(tape, settings, x.view(batch, sizes.source_length, width))
    with tape.part("target_embedding", "embedding"):
        if settings.tied == "all":
            y = shared_embedding(tape, "table", target, table)
        else:
            y, table = embedding(tape, "table", target, sizes.target_vocab, width, *aliases)
        y = _placed(tape, settings, y.view(batch, sizes.target_length, width))
    memory = _stack(
        tape, "encoder", LayerShape.of(settings), memory, settings.encoder_layers, "encoder"
    )
    memory = _last_norm(tape, "encoder_norm", settings, memory)
    shape = LayerShape.of(settings, settings.decoder_heads, settings.decoder_ffn_width)
    with tape.part("decoder", "decoder"):
        for number in range(settings.decoder_layers):
            from_end = settings.decoder_layers - number
            with tape.layer(str(number), "decoder layer", y, from_end=from_end):
                y = cross_attention_layer(tape, shape, y, memory)
    y = _last_norm(tape, "decoder_norm", settings, y)
    tied = table if settings.tied != "none" else None
    rows = sizes.loss_tokens or target
    return output(tape, y, sizes.target_vocab, table=tied, bias=settings.output_bias, rows=rows)


def decoder_only(tape: Tape, settings: DecoderOnlySettings, sizes: Sizes) -> Signal:
    """Count one stack of causal layers; source and target are one text."""
    length = sizes.source_length + sizes.target_length
    x, table = _embedded(tape, settings, sizes, length, ["/output.weight"] if settings.tied else [])
    x = _stack(tape, "layers", LayerShape.of(settings), x, settings.layers, "decoder")
    x = _last_norm(tape, "last_norm", settings, x)
    everywhere = settings.loss_on == "both" and sizes.source_length > 0
    scored = length if everywhere else sizes.target_length
    return output(
        tape,
        x,
        sizes.target_vocab,
        table=table if settings.tied else None,
        bias=settings.output_bias,
        rows=(0 if everywhere else sizes.loss_tokens) or sizes.batch * scored,
    )


def encoder(tape: Tape, settings: EncoderSettings, sizes: Sizes, *, tags: int = 0) -> Signal:
    """Count a bidirectional encoder with its heads; with tags, that for the label of each token."""
    heads = not tags
    words = heads and settings.lm_head != "none"
    tied = ["/output.weight"] if words and settings.tied else []
    x, table = _embedded(tape, settings, sizes, sizes.source_length, tied)
    x = _stack(tape, "layers", LayerShape.of(settings), x, settings.layers, "encoder")
    x = _last_norm(tape, "last_norm", settings, x)
    last = x
    if heads and settings.pooler:
        first = tape.signal(sizes.batch, settings.width, slope=x.slope)
        last = pooled = bend(
            tape, linear(tape, "pooler", first, settings.width, kind="pooler"), "tanh"
        )
        if settings.next_sentence_head:
            linear(tape, "follows_head", pooled, 2)
        if settings.classes:
            dropped = tape.dropout(pooled, settings.dropout)
            last = linear(tape, "classes_head", dropped, settings.classes)
    if words:
        last = _masked_words(tape, settings, sizes, x, table if settings.tied else None)
    if tags:
        last = linear(tape, "labels_head", tape.dropout(x, settings.dropout), tags)
    return last


def _masked_words(
    tape: Tape, settings: EncoderSettings, sizes: Sizes, x: Signal, table: Table | None
) -> Signal:
    """Count the head for masked words, which reads the states of these alone."""
    rows = sizes.loss_tokens or sizes.batch * sizes.source_length
    with tape.part("words_head", "masked-word head"):
        masked = tape.signal(rows, settings.width, slope=x.slope)
        ready = linear(tape, "inner", masked, settings.width)
        bent = bend(tape, ready, "relu" if settings.activation == "relu" else "gelu")
        ready = norm(tape, "norm", bent, settings.normalization)
    return output(tape, ready, sizes.source_vocab, table=table, bias=settings.output_bias)


def text_tower(tape: Tape, settings: TextTowerSettings, sizes: Sizes, width: int) -> Signal:
    """Count the Transformer of CLIP that reads captions; b w."""
    x, _ = _embedded(tape, settings, sizes, sizes.source_length, [])
    reads: Reads = "decoder" if settings.causal else "encoder"
    x = _stack(tape, "layers", LayerShape.of(settings), x, settings.layers, reads)
    x = _last_norm(tape, "last_norm", settings, x)
    if settings.pooling == "mean" and x.slope:
        tape.keep_bytes(FLOAT * sizes.batch * sizes.source_length)
    pooled = tape.signal(sizes.batch, settings.width, slope=x.slope)
    return linear(tape, "output", pooled, width, bias=False)


def _embedded(
    tape: Tape, settings: StackSettings, sizes: Sizes, length: int, aliases: list[str]
) -> tuple[Signal, Table]:
    """Count the embedding of a network with one stack."""
    width, batch = settings.width, sizes.batch
    with tape.part("embedding", "embedding"):
        x, table = embedding(tape, "table", batch * length, sizes.source_vocab, width, *aliases)
        return _placed(tape, settings, x.view(batch, length, width)), table


def _placed(tape: Tape, settings: StackSettings, x: Signal) -> Signal:
    """Add positions, segments and the norm of an embedding, where there are any."""
    batch, length, width = x.shape
    if settings.word_dropout and x.slope and tape.training:
        tape.keep_bytes(FLOAT * batch * length)
    if settings.positions == "learned":
        with tape.part("positions", "learned positions"):
            learned = tape.weight(settings.max_positions * width, "embedding", "table.weight")
        x = tape.signal(batch, length, width, slope=x.slope or learned)
    if isinstance(settings, EncoderSettings):
        if settings.segments:
            with tape.part("segments", "embedding"):
                learned = tape.weight(settings.segments * width, "embedding", "weight")
            x = tape.signal(batch, length, width, slope=x.slope or learned)
        if settings.embedding_norm:
            x = norm(tape, "norm", x, settings.normalization)
    return tape.dropout(x, settings.dropout)


def _stack(
    tape: Tape, name: str, shape: LayerShape, x: Signal, layers: int, reads: Reads
) -> Signal:
    kind = "encoder layer" if reads == "encoder" else "causal layer"
    with tape.part(name, f"stack of {layers}"):
        for number in range(layers):
            with tape.layer(str(number), kind, x, from_end=layers - number):
                x = self_attention_layer(tape, shape, x, reads)
    return x


def _last_norm(tape: Tape, name: str, settings: StackSettings, x: Signal) -> Signal:
    return norm(tape, name, x, settings.normalization) if settings.norm == "pre" else x
