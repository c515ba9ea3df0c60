import pytest

from dragoman.config.corpus import FilesCorpus
from dragoman.config.reading import read_recipe
from dragoman.core.errors import DataError
from dragoman.planner import new as planner

WORDS = {
    "the": "el",
    "my": "mi",
    "old": "viejo",
    "dog": "perro",
    "house": "casa",
    "garden": "jardín",
    "water": "agua",
    "bread": "pan",
    "sees": "ve",
    "wants": "quiere",
    "has": "tiene",
}
ENGLISH, SPANISH = [*WORDS], [*WORDS.values()]


@pytest.fixture
def pairs(tmp_path):
    lines = []
    for number in range(200):
        words = [(number * step + step) % len(ENGLISH) for step in (1, 3, 5, 7, 11)]
        source, target = (" ".join(side[w] for w in words) for side in (ENGLISH, SPANISH))
        lines.append(f"{source} {number}\t{target} {number}\n")
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def made(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(planner, "MEASURED_FOR", 0.2)
    return planner.new("small", FilesCorpus(train=(pairs,)), 60, threads=1, folder=tmp_path)


def test_the_file_reads_back_to_the_recipe(made, tmp_path, pairs):
    path = tmp_path / "small.toml"
    path.write_text(made.text)
    assert read_recipe(path) == made.recipe


def test_every_setting_stands_below_its_reason(made):
    body = made.text.split("[tokenizer]")[1].splitlines()
    keys = [number for number, line in enumerate(body) if " = " in line and line[0] != "#"]
    assert keys
    assert all(body[number - 1].startswith("# ") for number in keys)


def test_files_beside_the_recipe_are_named_as_its_neighbors(made):
    assert 'train = ["pairs.tsv"]' in made.text


def test_files_elsewhere_are_named_in_full(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(planner, "MEASURED_FOR", 0.2)
    corpus = FilesCorpus(train=(pairs,))
    made = planner.new("small", corpus, 60, threads=1, folder=tmp_path / "recipes")
    assert f'train = ["{pairs.resolve()}"]' in made.text


def test_languages_that_were_named_are_not_guessed(pairs, tmp_path, monkeypatch):
    monkeypatch.setattr(planner, "MEASURED_FOR", 0.2)
    corpus = FilesCorpus(train=(pairs,), source_language="xx", target_language="yy")
    made = planner.new("small", corpus, 60, threads=1, folder=tmp_path)
    assert (made.recipe.corpus.source_language, made.recipe.corpus.target_language) == ("xx", "yy")


def test_the_corpus_is_left_as_it_was(made, pairs):
    assert len(pairs.read_text().splitlines()) == 200


def test_a_missing_corpus_is_told_as_such(tmp_path):
    with pytest.raises(DataError, match=r"gone\.tsv"):
        planner.new("x", FilesCorpus(train=(tmp_path / "gone.tsv",)), 60)


SENTENCES = [
    (
        "The children were playing in the garden of the old house.",
        "Los niños jugaban en el jardín de la casa vieja.",
    ),
    (
        "Yesterday my brother bought a new book about history.",
        "Ayer mi hermano compró un libro nuevo sobre la historia.",
    ),
    (
        "We would like to travel to the mountains next summer.",
        "Nos gustaría viajar a las montañas el próximo verano.",
    ),
]
TMX = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv><tuv xml:lang="{}"><seg>{}</seg></tuv></tu>'


def numbered():
    return [(f"{s} {n}", f"{t} {n}") for n in range(40) for s, t in SENTENCES]


@pytest.mark.parametrize("both_ways", [False, True])
def test_languages_are_recognized_one_way_and_both_ways(tmp_path, monkeypatch, both_ways):
    monkeypatch.setattr(planner, "MEASURED_FOR", 0.2)
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{s}\t{t}\n" for s, t in numbered()))
    corpus = FilesCorpus(train=(path,), both_ways=both_ways)
    made = planner.new("small", corpus, 60, threads=1, folder=tmp_path)
    assert (made.recipe.corpus.source_language, made.recipe.corpus.target_language) == ("en", "es")
    assert made.facts.pairs == (96 if not both_ways else 192)


def test_a_file_that_names_other_languages_than_are_recognized_is_believed(tmp_path, monkeypatch):
    monkeypatch.setattr(planner, "MEASURED_FOR", 0.2)
    units = [TMX.format("xx", source, "yy", target) for source, target in numbered()]
    path = tmp_path / "memory.tmx"
    head = '<tmx version="1.4"><header srclang="xx"/><body>'
    path.write_text("\n".join([head, *units, "</body></tmx>"]))
    made = planner.new("small", FilesCorpus(train=(path,)), 60, threads=1, folder=tmp_path)
    (tmp_path / "small.toml").write_text(made.text)
    assert read_recipe(tmp_path / "small.toml") == made.recipe
    assert "source_language" not in made.text
