"""One sentence in, one sentence out, where the beam knows such a translation."""

from dragoman.pipeline.sentence_count import sentences_in, single_sentences
from dragoman.tasks.translation.requests import TranslationRequest, drive
from dragoman.tasks.translation.translation import Translation


def best(*texts):
    return [Translation(text, -float(rank), -1.0) for rank, text in enumerate(texts)]


def answered(texts, found, others):
    """Run the coroutine; the later candidates are given by text."""
    asked = []

    def answer(request):
        asked.append(request)
        return [others[text] for text in request.texts]

    result = drive(single_sentences(TranslationRequest(texts=texts), found), answer)
    return [each[0].text for each in result], asked


def test_the_likeliest_candidate_of_one_sentence_is_taken():
    texts = ["We go, but he stays.", "Stop."]
    others = {texts[0]: best("Vamos. Pero él queda.", "Vamos, pero él queda.", "Vamos, él queda.")}
    found, (asked,) = answered(texts, [best("Vamos. Pero él queda."), best("Alto.")], others)
    assert found == ["Vamos, pero él queda.", "Alto."]
    assert asked.nbest > 1
    assert asked.texts == texts[:1]


def test_where_all_have_several_the_best_stays():
    text = "We go, but he stays."
    found, _ = answered([text], [best("A. B.")], {text: best("A. B.", "A. C.", "")})
    assert found == ["A. B."]


def test_nothing_is_asked_where_nothing_is_wrong():
    found, asked = answered(["One. Two."], [best("Uno. Dos.")], {})
    assert (found, asked) == (["Uno. Dos."], [])
    assert sentences_in("") == 0
