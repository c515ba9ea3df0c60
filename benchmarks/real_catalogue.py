"""A program's own catalogues, filled where people have left gaps, and scored where they have not.

    pip download --no-deps django==5.2.*
    unzip django-5.2*.whl 'django/*/hi/LC_MESSAGES/*.po' -d FOLDER
    python benchmarks/real_catalogue.py RUN FOLDER

Gaps are filled as `dragoman translate RUN FILE` does it, and `msgfmt -c` looks at the outcome. What
people have translated is translated anew, as with `--all`, and scored against their words.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from trusted_output import survivors

from dragoman.data.documents.document import Segment
from dragoman.data.documents.po import read_po
from dragoman.metrics.scores import score
from dragoman.pipeline.files import FileReport, FileRequest, translate_document
from dragoman.pipeline.load import languages, load_pipeline
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.tasks.translation.bare_translator import BareTranslator


def accepted(data: bytes) -> bool:
    """Say whether gettext's own compiler finds no fault with a catalogue."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.po"
        path.write_bytes(data)
        done = subprocess.run(["msgfmt", "-c", "-o", "a.mo", "a.po"], cwd=folder, check=False)
    return done.returncode == 0


def filled(pipeline: SentencePipeline, paths: list[Path]) -> None:
    """Fill the gaps of all catalogues, and say what became of them."""
    wanted, report, good = languages(pipeline.translator, None), FileReport(), 0
    gaps: list[tuple[str, str]] = []
    for path in paths:
        document = read_po(path.read_bytes(), str(path), wanted)
        data, told = translate_document(document, pipeline, FileRequest())
        report += told
        good += accepted(data)
        both = zip(document.segments, read_po(data, str(path), wanted).segments, strict=True)
        gaps += [(old.text, new.existing) for old, new in both if not old.existing]
    left = sum(not after for _, after in gaps)
    kept = survivors([before for before, _ in gaps], [after for _, after in gaps])
    print(f"{len(paths)} files, msgfmt -c accepts {good}: {report}")
    print(f"{len(gaps)} gaps, {left} of them left; {kept} have all that must survive")
    for before, after in gaps[:40]:
        print(f"  {before!r}  →  {after!r}")


def scored(pipeline: SentencePipeline, paths: list[Path]) -> None:
    """Translate what people have translated, and score it against their words."""
    wanted = languages(pipeline.translator, None)
    done: list[Segment] = []
    for path in paths:
        segments = read_po(path.read_bytes(), str(path), wanted).segments
        done += [one for one in segments if one.existing and not one.unfinished]
    found = [
        one.answer.text for one in translate_segments(pipeline, [Segment(one.text) for one in done])
    ]
    judged = score(found, [[one.existing for one in done]], metrics=("bleu", "chrf"))
    print(
        f"{len(done)} messages of people: BLEU {judged['bleu'].value:.1f}, "
        f"chrF {judged['chrf'].value:.1f}; {judged['bleu'].signature}"
    )


def main(run: str, folder: str) -> None:
    """Print both."""
    pipeline = load_pipeline(Path(run), BareTranslator.load(run))
    paths = sorted(Path(folder).rglob("*.po"))
    filled(pipeline, paths)
    scored(pipeline, paths)


if __name__ == "__main__":
    main(*sys.argv[1:])
