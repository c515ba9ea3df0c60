"""Documents and corpora of strangers: the kept corpus of odd files, and mutations of it.

The corpus has good examples of each format, and small files by which coverage-guided fuzzing
reached code that the examples do not.
"""

from pathlib import Path
from random import Random

from tests.faults.campaign import Campaign, Tally
from tests.faults.document_mutations import mutate
from tests.faults.promises import judge_corpus, judge_document
from tests.faults.supervised import supervised

from dragoman.data.documents.open import FORMATS

CORPUS = Path(__file__).parent / "corpus"
DOCUMENTS = (*FORMATS, "plain")
CORPORA = ("tsv", "csv", "jsonl", "po", "mo", "tmx", "xliff", "labeled", "captioned", "lines")


class Files:
    """The kept files by format, and the trials made of them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._seed, self._folder = seed, folder
        self._files = {
            place.name: [(file.name, file.read_bytes()) for file in sorted(place.iterdir())]
            for place in sorted(CORPUS.iterdir())
        }
        self._targets = [("document", format) for format in DOCUMENTS] + [
            ("corpus", format) for format in CORPORA
        ]
        self._kept = [
            (*target, name, data)
            for target in self._targets
            for name, data in self._files[target[1]]
        ]

    def __len__(self) -> int:
        return len(self._kept)

    def file(self, trial: int) -> tuple[str, str, str, bytes]:
        """Return what a trial reads: as what, in which format, made of which file, the bytes."""
        if trial < len(self._kept):
            return self._kept[trial]
        rng = Random(f"{self._seed}:{trial}")
        kind, format = rng.choice(self._targets)
        files = self._files[format]
        name, data = rng.choice(files)
        return kind, format, name, mutate(format, data, [content for _, content in files], rng)

    def trial(self, trial: int) -> tuple[str | None, bool]:
        """Judge one file."""
        kind, format, _, data = self.file(trial)
        if kind == "corpus":
            return judge_corpus(format, data, self._folder)
        return judge_document(format, data, Random(f"answers {self._seed}:{trial}"))


def run(trials: int, seed: int, folder: Path) -> Tally:
    """Read and write so many files, the kept ones first."""
    files, tally = Files(seed, folder), Tally()
    for trial, failure, refused in supervised(files.trial, range(trials)):
        kind, format, name, _ = files.file(trial)
        tally.count(
            f"trial {trial} of seed {seed}: {kind} {format}/{name}", failure, refused=refused
        )
    return tally


CAMPAIGN = Campaign("documents and corpora, mutated", run, proof=20_000, sample=4_000)
