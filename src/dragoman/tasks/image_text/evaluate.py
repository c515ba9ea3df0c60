"""Judging a network that matches images and texts, by what it finds among those it has not seen.

Captions are of four kinds, with more and more detail, so that it can be seen what detail is worth.
Captions that are equal count as one, and all images that have it are right answers to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dragoman.config.captions import CaptionCorpus
from dragoman.config.reading import read_recipe
from dragoman.core.errors import DataError
from dragoman.data.batching.caption_sets import load_caption_sets
from dragoman.data.batching.captions import with_keywords
from dragoman.data.batching.pixels import Bytes
from dragoman.data.batching.seeded_random import Purpose, seeded_random
from dragoman.data.corpus.captions import CaptionedImages, read_images
from dragoman.data.corpus.held_out_captions import ImageCaptions
from dragoman.data.formats.captioned import Caption
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.framing import Framing
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.metrics.retrieval import Retrieval, ranks, retrieval
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.set_names import name_of_files
from dragoman.tasks.image_text.detail import LAST, CaptionMatches, Detail, compare_detail
from dragoman.tasks.image_text.matcher import Matcher
from dragoman.tasks.image_text.plot import draw_matches
from dragoman.tasks.image_text.report import REPORT

KINDS = ("one keyword", "keywords", "name", "name and keywords")
NAME = "name"
FIGURE = "matches.png"
STEPS = (("one keyword", "keywords"), ("one keyword", "name"), ("name", "name and keywords"))
"""Kinds of captions that are compared, the shorter one first."""

TO_IMAGE, TO_TEXT = "text → image", "image → text"
MOST = 4
"""Keywords of a caption that has several."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class CaptionRetrieval:
    """Retrieval by captions of one kind and language: images by captions, captions by images."""

    language: str
    kind: str
    words: float
    """Of a caption, on average."""
    to_image: Retrieval
    to_text: Retrieval


@dataclass(frozen=True)
class RetrievalEvaluation:
    """The retrieval evaluation of images and captions of one test set."""

    name: str
    images: int
    matches: tuple[CaptionRetrieval, ...]
    details: tuple[Detail, ...] = ()
    """What more detail is worth."""

    def summary(self) -> dict[str, Any]:
        """Return what is stored."""
        return {
            "images": self.images,
            "matches": [asdict(one) for one in self.matches],
            "details": [asdict(one) for one in self.details],
        }

    def text(self) -> str:
        """Lay out how often what belongs together is found, both ways, by language and caption."""
        lines = [
            f"{self.name}: {self.images:,} images; recall in % with 95 % interval (random baseline "
            "in parentheses)",
            f"  {'language':<9}{'caption':<18}{'words':>5}  {'direction':<13}"
            f"{'recall@1':>24}{'recall@5':>24}{'recall@10':>24}{'median rank':>18}",
        ]
        for one in self.matches:
            for way, found in ((TO_IMAGE, one.to_image), (TO_TEXT, one.to_text)):
                lines.append(
                    f"  {one.language or '-':<9}{one.kind:<18}{one.words:>5.1f}  {way:<13}"
                    f"{_recalls(found)}{f'{found.median_rank:.1f} ({found.chance_median:.1f})':>18}"
                )
        return "\n".join([*lines, *_details_table(self.details)])


def _recalls(found: Retrieval) -> str:
    cells = []
    for first, share in found.recall.items():
        low, high = found.intervals[first]
        blind = found.blind[first]
        cells.append(f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}] ({100 * blind:.1f})")
    return "".join(f"{cell:>24}" for cell in cells)


def _details_table(details: Sequence[Detail]) -> list[str]:
    """Lay out what more detail in a caption is worth."""
    lines = [
        "effect of more detailed captions on recall@10, in points; 95 % interval by paired "
        "bootstrap"
    ]
    for one in details:
        gain = one.gain
        interval = f"[{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
        lines.append(
            f"  {one.language or '-':<9}{f'{one.less} → {one.more}':<34}{one.way:<13}"
            f"{100 * gain.difference:>+6.1f} {interval:<15} {gain.things:>6,} images"
            f"{'' if gain.sure else ', not significant'}"
        )
    return lines if details else []


@dataclass(frozen=True)
class HeldOutImages:
    """Images to test on, and what is said of each."""

    images: Bytes
    said: list[ImageCaptions]

    def __len__(self) -> int:
        return len(self.said)


def caption_text(caption: Caption, kind: str, example: int) -> str:
    """Return a caption with as much detail as its kind asks for; empty where it has no keywords."""
    if kind == NAME:
        return caption.name
    if not caption.keywords:
        return ""
    random = seeded_random(Purpose.CAPTIONS, 0, 0, example)
    order = random.permutation(len(caption.keywords))
    words = [caption.keywords[i] for i in order[: 1 if kind == KINDS[0] else MOST]]
    return with_keywords(caption.name if kind == KINDS[3] else "", words)


def score_matches(
    matcher: Matcher,
    tested: HeldOutImages,
    name: str,
    kinds: Sequence[str] = KINDS,
    after_batch: Callable[[int], None] | None = None,
) -> RetrievalEvaluation:
    """Let captions of each language and kind find their images, and the other way round."""
    seen = matcher.see(tested.images, after_batch)
    languages = sorted({caption.language for one in tested.said for caption in one.captions})
    found: list[CaptionRetrieval] = []
    details: list[Detail] = []
    for language in languages:
        asked = {}
        for kind in kinds:
            texts = _texts(tested.said, language, kind)
            if any(texts):
                matched, asked[kind] = _matched(matcher, seen, texts, language, kind)
                found.append(matched)
        details += compare_detail(language, asked, STEPS)
    return RetrievalEvaluation(name, len(tested), tuple(found), tuple(details))


def _texts(said: Sequence[ImageCaptions], language: str, kind: str) -> list[str]:
    """Return what is said of each image; empty where there is no such caption."""
    texts = []
    for example, one in enumerate(said):
        own = [caption for caption in one.captions if caption.language == language]
        texts.append(caption_text(own[0], kind, example) if own else "")
    return texts


def _matched(
    matcher: Matcher, seen: Tensor, texts: Sequence[str], language: str, kind: str
) -> tuple[CaptionRetrieval, CaptionMatches]:
    different = list(dict.fromkeys(filter(None, texts)))
    numbers = {text: number for number, text in enumerate(different)}
    own = np.array([numbers.get(text, -1) for text in texts])  # of each image, -1 for none
    right = own == np.arange(len(different))[:, None]  # texts, images
    scores: Floats = (matcher.read(different) @ seen.T).cpu().numpy()
    asked = own >= 0  # images of which something is said
    matched = CaptionRetrieval(
        language=language,
        kind=kind,
        words=float(np.mean([len(text.split()) for text in different])),
        to_image=retrieval(scores, right),
        to_text=retrieval(scores.T[asked], right.T[asked]),
    )
    one_by_one = np.eye(len(texts), dtype=np.bool_)[asked]  # a caption is to bring its own image
    hits = {
        TO_IMAGE: ranks(scores[own[asked]], one_by_one) <= LAST,
        TO_TEXT: ranks(scores.T[asked], right.T[asked]) <= LAST,
    }
    return matched, CaptionMatches(asked, hits)


def images_to_test(run: Path, files: Sequence[Path] = ()) -> dict[str, HeldOutImages]:
    """Return the images to test a run on: its own held-out ones, or those of the given tables."""
    folder = trained_run(run)
    if not files:
        if _is_imported(folder):
            raise DataError(
                f"{run}: was not trained here, so that it has no test set. Give a table of images "
                "and captions: dragoman evaluate RUN TABLE"
            )
        test = load_caption_sets(folder.data).test
        return {"test": HeldOutImages(test.store.images, test.said)}
    pixels = Matcher.load(run).pixels
    framing = pixels.fit if isinstance(pixels.fit, Framing) else None
    settings = CaptionCorpus(
        train=tuple(files),
        size=pixels.size,
        colors=pixels.channels == 3,
        fit="pad" if pixels.fit == "pad" else "crop",
    )
    listed = {"test": read_images(settings, files, Findings())}
    corpus = CaptionedImages(listed, settings, 0, tuple(files), framing=framing)
    read = [*corpus.read("test")]
    if len(read) < 2:
        raise DataError(f"{files[0]}: holds no two images that could be told apart.")
    said = [ImageCaptions(one.path.name, one.captions) for _, one in read]
    own = () if _is_imported(folder) else ("test",)
    images = np.stack([image for image, _ in read])
    return {name_of_files(folder, files, own): HeldOutImages(images, said)}


def _is_imported(folder: RunFolder) -> bool:
    return read_recipe(folder.recipe).corpus.kind == "imported"


def evaluate_matches(
    run: Path, files: Sequence[Path] = (), after_batch: Callable[[int], None] | None = None
) -> list[RetrievalEvaluation]:
    """Judge a run on its test set (or on given tables); store scores, card and figure."""
    folder = trained_run(run)
    matcher = Matcher.load(run)
    sets = images_to_test(run, files)
    judged = [
        score_matches(matcher, tested, name, after_batch=after_batch)
        for name, tested in sets.items()
    ]
    for name, tested in sets.items():
        path = folder.path / (f"matches-{name}.png" if files else FIGURE)
        draw_matches(matcher, tested.images, tested.said, path, f"{name}: nearest")
    store_scores(folder, judged, REPORT, files)
    return judged
