"""The doctor's time and room on a corpus of some size."""

import random
import time
import tracemalloc

import numpy as np
import pytest

from dragoman.config.corpus import FilesCorpus
from dragoman.data.corpus.doctor.examine import examine
from dragoman.data.corpus.doctor.language import Sample
from dragoman.data.corpus.doctor.repeats import PairHashes
from dragoman.data.corpus.doctor.symptoms import Symptom


@pytest.mark.slow
def test_two_hundred_thousand_lines_are_looked_at_in_reasonable_time(tmp_path):
    draw = random.Random(3)
    words = [f"w{n}" for n in range(500)]
    path = tmp_path / "a.tsv"
    with path.open("w") as stream:
        for number in range(200_000):
            text = " ".join(draw.choices(words, k=6))
            stream.write(f"{text} {number % 199_000}\t{text[::-1]}\n")
    begun = time.process_time()
    report = examine(FilesCorpus(train=path))
    assert report.pairs == {"train": 200_000}
    assert not report.refused
    assert time.process_time() - begun < 60


def test_a_pair_costs_few_bytes():
    pairs = 200_000
    tracemalloc.start()
    try:
        numbers = PairHashes()
        for number in range(pairs):
            numbers.add(number, f"sentence {number % 150_000}", "Satz")
        kept, _ = tracemalloc.get_traced_memory()
        duplicates = numbers.duplicates()
        numbers.further_translations(duplicates)
        numbers.out_of_proportion()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(duplicates) == 50_000
    assert kept / pairs < 30
    assert peak / pairs < 64


def test_duplicates_are_found_as_a_dictionary_finds_them():
    draw = random.Random(4)
    rows = [(f"s{draw.randrange(300)}", f"t{draw.randrange(3)}") for _ in range(2000)]
    numbers = PairHashes()
    for line, pair in enumerate(rows, 1):
        numbers.add(line, *pair)
    seen, sources, repeated, further = set(), set(), [], []
    for place, pair in enumerate(rows):
        if pair in seen:
            repeated.append(place)
        elif pair[0] in sources:
            further.append(place)
        seen.add(pair)
        sources.add(pair[0])
    duplicates = numbers.duplicates()
    assert duplicates.tolist() == repeated
    assert numbers.further_translations(duplicates).tolist() == further
    assert [*numbers.lines(np.array([0, 7]))] == [1, 8]


def test_a_sample_is_even_and_the_same_each_time():
    samples = []
    for _ in range(2):
        sample = Sample(size=1000)
        for line in range(100_000):
            sample.add(line, "a", "b")
        samples.append(sample.pairs())
    assert samples[0] == samples[1]
    lines = [pair.line for pair in samples[0]]
    assert lines == sorted(set(lines))
    assert 45_000 < sum(lines) / 1000 < 55_000


def test_every_symptom_says_what_training_does():
    assert {symptom.treatment for symptom in Symptom} == {"refuse", "drop", "repair", "keep"}
