from dragoman.tasks.common.samples import SAMPLES, distinct_samples


def sample(source, output="", reference=""):
    return {"source": source, "output": output, "reference": reference}


def test_samples_are_a_few_of_distinct_sources():
    found = distinct_samples(sample(text, str(i)) for i, text in enumerate("aabbacde"))
    assert found == (sample("a", "0"), sample("b", "2"), sample("c", "5"))
    assert len(found) == SAMPLES


def test_there_may_be_fewer_than_are_wanted():
    assert distinct_samples([sample("a"), sample("a")]) == (sample("a"),)
    assert distinct_samples([]) == ()


def test_texts_with_gaps_are_told_apart_by_what_they_were():
    given = [sample("_ cat", reference="a cat"), sample("a _", reference="a cat")]
    assert distinct_samples(given, by="reference") == (given[0],)


def test_no_more_are_made_than_are_needed():
    assert len(distinct_samples(sample(str(1 / (3 - i))) for i in range(4))) == SAMPLES
