"""Loading a trained run of any task, ready to use."""

from pathlib import Path

from dragoman.pipeline.translator import Translator
from dragoman.tasks.open import Predictor, kind_of_run
from dragoman.tasks.translation.bare_translator import BareTranslator


def load(run: str | Path, *, device: str = "auto") -> Predictor | Translator:
    """Load the trained network of a run folder, ready to use; its class says what it can do."""
    found = kind_of_run(Path(run)).load(run, device=device)
    return Translator(Path(run), found) if isinstance(found, BareTranslator) else found
