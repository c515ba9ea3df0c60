"""Vision Transformers as their forward passes: ViT, CLIP and its tower of patches."""

from dragoman.config.clip import ClipSettings, PatchTowerSettings
from dragoman.config.vision import PatchSettings, ResNetSettings, VitSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.layers.images.geometry import Window
from dragoman.planner.count.attention import LayerShape, self_attention_layer
from dragoman.planner.count.images import images_of
from dragoman.planner.count.layers import linear, norm
from dragoman.planner.count.maps import convolution
from dragoman.planner.count.residual import resnet
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.stacks import text_tower
from dragoman.planner.count.tape import FLOAT, Signal, Tape


def vit(tape: Tape, settings: VitSettings, sizes: Sizes, width: int | None = None) -> Signal:
    """Count a vision Transformer with so many outputs, or one for each class."""
    token = settings.summary == "token"
    x = _patches(tape, settings, sizes, bias=True, token=token, table="positions.table")
    x = tape.dropout(x, settings.dropout)
    x = _layers(tape, settings, settings.activation, 0.0, x)
    x = norm(tape, "last_norm", x)
    summary = tape.signal(sizes.batch, settings.width, slope=x.slope)
    summary = tape.dropout(summary, settings.dropout)
    return linear(tape, "output", summary, sizes.classes if width is None else width)


def patch_tower(tape: Tape, settings: PatchTowerSettings, sizes: Sizes, width: int) -> Signal:
    """Count the vision Transformer of CLIP, whose last norm reads one state of each image."""
    x = _patches(tape, settings, sizes, bias=False, token=True, table="positions")
    x = norm(tape, "first_norm", x)
    x = _layers(tape, settings, settings.activation, settings.attention_dropout, x)
    state = tape.signal(sizes.batch, settings.width, slope=x.slope)
    return linear(tape, "output", norm(tape, "last_norm", state), width, bias=False)


def clip(tape: Tape, settings: ClipSettings, sizes: Sizes) -> Signal:
    """Count two towers and the similarities of all images and texts of a batch."""
    width = settings.width
    with tape.part("image", "image tower"):
        match settings.image:
            case ResNetSettings():
                seen = resnet(tape, settings.image, sizes, width)
            case VitSettings():
                seen = vit(tape, settings.image, sizes, width)
            case PatchTowerSettings():
                seen = patch_tower(tape, settings.image, sizes, width)
    with tape.part("text", "text tower"):
        read = text_tower(tape, settings.text, sizes, width)
    with tape.part("log_scale", "logit scale"):
        scaled = tape.weight(1, "other", "log_scale", "/log_scale")
        slopes = seen.slope or scaled, read.slope
        tape.product(2 * sizes.batch**2 * width, *slopes)
        tape.keep(seen, read)
        tape.keep_bytes(FLOAT * (2 * sizes.batch * width + 2 * sizes.batch**2))
        return tape.signal(sizes.batch, sizes.batch, slope=any(slopes))


def _patches(
    tape: Tape, settings: PatchSettings, sizes: Sizes, *, bias: bool, token: bool, table: str
) -> Signal:
    """Count the way from an image to its patches, each with its position."""
    if sizes.image_size % settings.patch:
        raise ConfigError(
            f"model.patch: images of {sizes.image_size}×{sizes.image_size} do not split into "
            f"patches of {settings.patch}×{settings.patch}. Use a patch that divides "
            f"{sizes.image_size}."
        )
    window = Window(settings.patch, settings.patch)
    x = convolution(tape, "patches", images_of(tape, sizes), settings.width, window, bias=bias)
    count = x.shape[2] ** 2 + token
    learned = x.slope
    if token:
        with tape.part("token", "class token"):
            learned |= tape.weight(settings.width, "other", "/token")
    with tape.part(table, "learned positions"):
        learned |= tape.weight(count * settings.width, "embedding", "weight")
    return tape.signal(sizes.batch, count, settings.width, slope=learned)


def _layers(
    tape: Tape, settings: PatchSettings, activation: str, attention_dropout: float, x: Signal
) -> Signal:
    shape = LayerShape(
        settings.width,
        settings.heads,
        settings.ffn_width,
        activation,
        dropout=settings.dropout,
        attention_dropout=attention_dropout,
    )
    with tape.part("layers", f"stack of {settings.layers}"):
        for number in range(settings.layers):
            with tape.part(str(number), "encoder layer", last_layers=settings.layers - number):
                x = self_attention_layer(tape, shape, x, "encoder")
    return x
