"""Counting any network: one `match` over the settings of every family, so none is forgotten."""

from typing import assert_never

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.model import AnyModel, TransformerSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.start import StartSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.vision import (
    AlexNetSettings,
    CnnSettings,
    GoogLeNetSettings,
    ResNetSettings,
    VggSettings,
    VitSettings,
)
from dragoman.planner.count.autoencoder import autoencoder
from dragoman.planner.count.images import alexnet, cnn, googlenet, vgg
from dragoman.planner.count.patches import clip, vit
from dragoman.planner.count.recurrent_translator import recurrent_translator
from dragoman.planner.count.residual import resnet
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.stacks import decoder_only, encoder, transformer
from dragoman.planner.count.tape import Tape
from dragoman.planner.count.text import recurrent_classifier, recurrent_language_model, text_cnn
from dragoman.planner.count.tree import CountNode


def count_network(  # noqa: C901 - one case a family
    settings: AnyModel,
    sizes: Sizes,
    start: StartSettings | None = None,
    *,
    new: tuple[str, ...] = (),
    tags: bool = False,
    checkpointing: bool = False,
    training: bool = True,
) -> CountNode:
    """Count a network and one step of its training.

    `new` names the parts that a run need not have to be started from; `tags` asks for a class of
    each token, as taggers do. Outside training there is no dropout and no auxiliary head.
    """
    tape = Tape(settings.kind, start, new, checkpointing=checkpointing, training=training)
    match settings:
        case TransformerSettings():
            transformer(tape, settings, sizes)
        case RecurrentSettings():
            recurrent_translator(tape, settings, sizes)
        case DecoderOnlySettings():
            decoder_only(tape, settings, sizes)
        case EncoderSettings():
            encoder(tape, settings, sizes, tags=sizes.classes if tags else 0)
        case RecurrentLanguageSettings():
            recurrent_language_model(tape, settings, sizes)
        case RecurrentClassifierSettings():
            recurrent_classifier(tape, settings, sizes, tags=tags)
        case TextCnnSettings():
            text_cnn(tape, settings, sizes)
        case CnnSettings():
            cnn(tape, settings, sizes)
        case AlexNetSettings():
            alexnet(tape, settings, sizes)
        case VggSettings():
            vgg(tape, settings, sizes)
        case GoogLeNetSettings():
            googlenet(tape, settings, sizes)
        case ResNetSettings():
            resnet(tape, settings, sizes)
        case VitSettings():
            vit(tape, settings, sizes)
        case AutoencoderSettings():
            autoencoder(tape, settings, sizes)
        case ClipSettings():
            clip(tape, settings, sizes)
        case _:
            assert_never(settings)
    tape.check_adapters()
    return tape.root
