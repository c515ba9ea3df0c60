"""Questions after some examples, put to a model whose weights stay as they are."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from torch import nn

from dragoman.config.sampling import SamplingSettings
from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.everyday_tasks import draw_everyday
from dragoman.data.corpus.generators.in_context import (
    ARROW,
    BREAK,
    FRAMES,
    FewShotPrompt,
    draw_documents,
    draw_prompts,
)
from dragoman.lab.results import Measurement
from dragoman.tasks.language_model.language_model import LanguageModel

SHOTS = (0, 1, 2, 4, 8)
MOST = SHOTS[-1]

RIGHT: Final = "right"
MOVED: Final = "moved"
OTHER: Final = "other"
SHOWN: Final = "shown"
Kind = Literal["right", "moved", "other", "shown"]
"""Examples as they should be; their answers moved to other questions; examples of another task; or
a task learned from."""
CONTROLS: tuple[Kind, ...] = (MOVED, OTHER)

WORD = re.compile(r"\w+")
LONGEST_LETTERS, LONGEST_WORDS = 10, 6
"""Tokens of an answer: eight letters and what ends them; a word in a few pieces."""


class Documents(Settings):
    """How many texts a small model learns from and validates on."""

    train: int
    valid: int


class ExampleFormat(NamedTuple):
    """How examples are written: what stands between two, and before an answer."""

    between: str
    mark: str


LETTERS = ExampleFormat(BREAK, ARROW)
EVERYDAY = {
    "sums": ExampleFormat("\n", "="),
    "spelling": ExampleFormat("\n", ARROW),
    "translation": ExampleFormat("\n", ARROW),
}


class PromptSet(NamedTuple):
    """Questions of one family after equally many examples."""

    family: str
    kind: Kind
    shots: int
    prompts: list[FewShotPrompt]
    written: ExampleFormat


def write_documents(wanted: Documents, folder: Path, seed: int) -> tuple[Path, Path]:
    """Write texts of shown tasks to train and to validate on, a text on each line."""
    paths = folder / "train.txt", folder / "valid.txt"
    drawn = draw_documents(
        wanted.train + wanted.valid, shots=MOST, seed=seed, families=tuple(FRAMES)
    )
    parts = drawn[wanted.valid :], drawn[: wanted.valid]
    for path, part in zip(paths, parts, strict=True):
        write_atomic(path, "\n".join(part) + "\n")
    return paths


def ask_of_letters(count: int, seed: int) -> list[PromptSet]:
    """Draw questions for the small model: of held-out tasks, and with most examples of shown ones.

    In its control the examples are of another task of the same family: two other letters. Answers
    moved among examples would not do, for they show the letters all the same.
    """
    prompts = []
    for family in FRAMES:
        right = [
            (shots, draw_prompts(count, shots=shots, seed=seed, family=family)) for shots in SHOTS
        ]
        shown = draw_prompts(count, shots=MOST, seed=seed, held_out=False, family=family)
        prompts += [PromptSet(family, RIGHT, shots, one, LETTERS) for shots, one in right]
        prompts.append(PromptSet(family, OTHER, MOST, exchange_examples(right[-1][1]), LETTERS))
        prompts.append(PromptSet(family, SHOWN, MOST, shown, LETTERS))
    return prompts


def exchange_examples(prompts: Sequence[FewShotPrompt]) -> list[FewShotPrompt]:
    """Give each question the examples of the next prompt, which are of a task of its own."""
    parted = [prompt.text.rsplit(BREAK, 1) for prompt in prompts]
    following = [*parted[1:], *parted[:1]]
    return [
        prompt._replace(text=f"{examples}{BREAK}{question}")
        for prompt, (_, question), (examples, _) in zip(prompts, parted, following, strict=True)
    ]


def ask_of_everyday(family: str, count: int, seed: int) -> list[PromptSet]:
    """Draw everyday questions for a model that has read much.

    The questions with moved answers are those with right ones, so that only the answers differ.
    """
    written = EVERYDAY[family]
    right = [(shots, draw_everyday(family, count, shots=shots, seed=seed)) for shots in SHOTS]
    moved = [move_answers(prompt, written) for prompt in right[-1][1]]
    return [
        *(PromptSet(family, RIGHT, shots, prompts, written) for shots, prompts in right),
        PromptSet(family, MOVED, MOST, moved, written),
    ]


def move_answers(prompt: FewShotPrompt, written: ExampleFormat) -> FewShotPrompt:
    """Give each example the answer of another one, and a different one wherever there is one.

    In order of their answers, each takes that of the one so many places on as the commonest answer
    is frequent.
    """
    *examples, question = prompt.text.split(written.between)
    parted = [example.split(written.mark) for example in examples]
    order = sorted(range(len(parted)), key=lambda place: parted[place][1])
    step = max(Counter(answer for _, answer in parted).values(), default=0)
    moved = dict(zip(order, [*order[step:], *order[:step]], strict=True))
    wrong = [
        prompts + written.mark + parted[moved[place]][1]
        for place, (prompts, _) in enumerate(parted)
    ]
    return prompt._replace(text=written.between.join([*wrong, question]))


def answer_all(writer: LanguageModel, prompts: Iterable[PromptSet]) -> list[Measurement]:
    """Let a model answer all questions by its likeliest tokens, and count those that are right."""
    return [_answered(writer, one) for one in prompts]


def _answered(writer: LanguageModel, prompts: PromptSet) -> Measurement:
    letters = prompts.written is LETTERS
    settings = SamplingSettings(
        temperature=0.0, max_tokens=LONGEST_LETTERS if letters else LONGEST_WORDS
    )
    stop = (prompts.written.between,)
    texts = [prompt.text for prompt in prompts.prompts]
    found = writer.generate(texts, settings, stop=stop)
    read = read_letters if letters else read_word
    right = sum(
        read(text) == read(prompt.answer)
        for text, prompt in zip(found, prompts.prompts, strict=True)
    )
    return {
        "family": prompts.family,
        "kind": prompts.kind,
        "shots": prompts.shots,
        "accuracy": 100 * right / len(texts),
        "asked": len(texts),
        "guess": guess(prompts),
    }


def guess(prompts: PromptSet) -> float:
    """Return what needs no learning: always the commonest answer, or the question itself."""
    answers = [prompt.answer for prompt in prompts.prompts]
    mark = prompts.written.mark.rstrip()
    copied = sum(
        prompt.text.split(prompts.written.between)[-1].removesuffix(mark).strip() == prompt.answer
        for prompt in prompts.prompts
    )
    return 100 * max(copied, Counter(answers).most_common(1)[0][1]) / len(answers)


def read_letters(text: str) -> str:
    """Read an answer of letters."""
    return text.strip()


def read_word(text: str) -> str:
    """Read the first word or number of what was written, whatever comes after it.

    So an answer is not held wrong because no example has shown how one ends.
    """
    found = WORD.search(text)
    return found.group().casefold() if found else ""


def checksum(model: nn.Module) -> str:
    """Return one checksum of all weights."""
    digest = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        digest.update(name.encode("utf-8"))
        digest.update(weight.detach().cpu().contiguous().numpy().data)
    return digest.hexdigest()
