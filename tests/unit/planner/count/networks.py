"""Networks of every family on the meta device, as oracles for what is counted from settings."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from dragoman.config.autoencoder import AutoencoderSettings
from dragoman.config.clip import ClipSettings
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.text_cnn import TextCnnSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.engine.build import build_image_model
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.layers.recurrent.reading import read_by_loop
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.models.autoencoder import Autoencoder
from dragoman.neural.models.clip.model import Clip
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.encoder_tagger import EncoderTagger
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.neural.models.text_cnn import TextCnn
from dragoman.neural.models.transformer import Transformer


def build(settings, sizes, *, tags=False, device="meta"):
    """Build the network of settings, with the loop in place of recurrent kernels."""
    with torch.device(device):
        model = _network(settings, sizes, tags)
    for part in model.modules():
        if isinstance(part, RecurrentStack):
            part.read = read_by_loop
    return model.train()


def _network(settings, sizes, tags):  # noqa: C901 - one case a family
    match settings:
        case TransformerSettings():
            return Transformer(settings, sizes.source_vocab, sizes.target_vocab)
        case RecurrentSettings():
            return RecurrentTranslator(settings, sizes.source_vocab, sizes.target_vocab)
        case DecoderOnlySettings():
            return DecoderOnly(settings, sizes.source_vocab, sizes.target_vocab, prompt_end=5)
        case EncoderSettings():
            if tags:
                return EncoderTagger(settings, sizes.source_vocab, sizes.classes)
            return Encoder(settings, sizes.source_vocab)
        case RecurrentLanguageSettings():
            return RecurrentLanguageModel(settings, sizes.source_vocab)
        case RecurrentClassifierSettings():
            each = settings.model_copy(update={"each": tags or settings.each})
            return RecurrentClassifier(each, sizes.source_vocab, sizes.classes)
        case TextCnnSettings():
            return TextCnn(settings, sizes.source_vocab, sizes.classes)
        case AutoencoderSettings():
            return Autoencoder(settings, sizes.channels, sizes.image_size)
        case ClipSettings():
            return Clip(settings, sizes.channels, sizes.image_size, sizes.source_vocab, end=3)
        case _:
            return build_image_model(settings, sizes.channels, sizes.image_size, sizes.classes, 1)


def adapted(model, start, new=()):
    with torch.device("meta"):
        adapt(model, start, new)
    return model


def weights(model):
    return sum(weight.numel() for weight in model.parameters())


def trained_weights(model):
    return sum(weight.numel() for weight in model.parameters() if weight.requires_grad)


def outputs(model, sizes):  # noqa: C901 - one case a family
    """Run a training forward pass of a batch; return all that a loss would be made of."""
    device, side = next(model.parameters()).device, (sizes.image_size,) * 2
    images = torch.zeros(sizes.batch, sizes.channels, *side, device=device)
    source = torch.ones(sizes.batch, sizes.source_length, dtype=torch.long, device=device)
    target = torch.ones(sizes.batch, sizes.target_length, dtype=torch.long, device=device)
    match model:
        case Transformer() | RecurrentTranslator():
            return [model(source, target)]
        case DecoderOnly() if not sizes.source_length or model.settings.loss_on == "both":
            return [model.output(model.read(torch.cat((source, target), dim=1)))]
        case DecoderOnly():
            return [model(source, target)]
        case EncoderTagger():
            return [model(source)]
        case Encoder():
            return _encoder_outputs(model, source)
        case RecurrentLanguageModel():
            return [model(target)]
        case RecurrentClassifier() | TextCnn():
            return [model(source)]
        case Clip():
            return [model(images, source)]
        case Autoencoder():
            return [model(images)]
        case _:
            return model.heads(images)


def _encoder_outputs(model, source):
    states = model.states(source)
    found = [model.words(states)] if model.words_head is not None else []
    if model.pooler is not None:
        pooled = model.pooled(states)
        found.append(pooled)
        found += [model.follows(pooled)] if model.follows_head is not None else []
        found += [model.classes_head(pooled)] if model.classes_head is not None else []
    return found or [states]


def torch_flops(model, sizes):
    """Return the FLOPs of the forward and of the backward pass, as torch counts them."""
    aten = torch.ops.aten
    vectors = {aten.mv: _mv_flops, aten.addmv: _addmv_flops}
    with FlopCounterMode(display=False, custom_mapping=vectors) as counter:
        found = outputs(model, sizes)
        forward = counter.get_total_flops()
        sum(one.sum() for one in found).backward()
    return forward, counter.get_total_flops() - forward


def _mv_flops(matrix, vector, *, out_shape=None):
    """A product with a vector, which torch's counter leaves out."""
    return 2 * matrix[0] * matrix[1]


def _addmv_flops(added, matrix, vector, *, out_shape=None):
    return 2 * matrix[0] * matrix[1]


def kept_bytes(model, sizes):
    """Return the bytes that autograd keeps of a forward pass, each storage once."""
    own = {one.untyped_storage().data_ptr() for one in (*model.parameters(), *model.buffers())}
    kept = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes(), tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        outputs(model, sizes)
    return sum(size for size, _ in kept.values())
