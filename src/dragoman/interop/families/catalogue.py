"""The families that are known, and which of them a settings file belongs to."""

from dragoman.core.errors import ConfigError, nearest
from dragoman.interop.families.bert import Bert
from dragoman.interop.families.clip import ClipFamily
from dragoman.interop.families.family import ModelFamily
from dragoman.interop.families.gpt2 import Gpt2
from dragoman.interop.families.llama import Llama
from dragoman.interop.families.marian import Marian
from dragoman.interop.families.pegasus import Pegasus
from dragoman.interop.families.roberta import Roberta
from dragoman.interop.families.t5 import T5
from dragoman.interop.foreign import Values

FAMILIES: dict[str, ModelFamily] = {
    one.kind: one
    for one in (Gpt2(), Llama(), T5(), Marian(), Pegasus(), Bert(), Roberta(), ClipFamily())
}


def family_of(values: Values, where: str) -> ModelFamily:
    """Return the family of a settings file, or say which ones are known."""
    kind, saved = values.get("model_type"), values.get("architectures")
    if not isinstance(kind, str) or kind not in FAMILIES:
        hint = nearest(str(kind), FAMILIES)
        raise ConfigError(f"{where}: model_type = {kind!r} cannot be imported. {hint}")
    family = FAMILIES[kind]
    known = ", ".join(family.architectures)
    if not isinstance(saved, list) or len(saved) != 1 or saved[0] not in family.architectures:
        raise ConfigError(
            f"{where}: architectures = {saved!r} cannot be imported. Known for {kind!r}: {known}. "
            "Name one by --as, where the tensors are its own."
        )
    return family
