import pytest

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.hindi.pronouns import demonstrative, pronoun
from dragoman.data.grammar.hindi.verbs import (
    future,
    imperative,
    imperfective,
    infinitive,
    past,
    perfective,
    present,
)

# stem: perfective (masculine singular and plural, feminine singular and plural)
PERFECTIVES = {
    "देख": "देखा देखे देखी देखीं",
    "खा": "खाया खाए खाई खाईं",
    "आ": "आया आए आई आईं",
    "जा": "गया गए गई गईं",
    "कर": "किया किए की कीं",
    "दे": "दिया दिए दी दीं",
    "ले": "लिया लिए ली लीं",
    "पी": "पिया पिए पी पीं",
    "हो": "हुआ हुए हुई हुईं",
    "सो": "सोया सोए सोई सोईं",
    "धो": "धोया धोए धोई धोईं",
    "छू": "छुआ छुए छुई छुईं",
}
# stem: future of मैं, वह (m), वह (f), वे (m), वे (f), तुम
FUTURES = {
    "कर": "करूँगा करेगा करेगी करेंगे करेंगी करोगे",
    "जा": "जाऊँगा जाएगा जाएगी जाएँगे जाएँगी जाओगे",
    "दे": "दूँगा देगा देगी देंगे देंगी दोगे",
    "ले": "लूँगा लेगा लेगी लेंगे लेंगी लोगे",
    "पी": "पिऊँगा पिएगा पिएगी पिएँगे पिएँगी पिओगे",
    "सो": "सोऊँगा सोएगा सोएगी सोएँगे सोएँगी सोओगे",
    "हो": "होऊँगा होगा होगी होंगे होंगी होगे",
}
# stem: command to a तू, a तुम, an आप
IMPERATIVES = {
    "कर": "कर करो कीजिए",
    "दे": "दे दो दीजिए",
    "ले": "ले लो लीजिए",
    "पी": "पी पियो पीजिए",
    "जा": "जा जाओ जाइए",
    "बैठ": "बैठ बैठो बैठिए",
    "सो": "सो सोओ सोइए",
    "पढ़": "पढ़ पढ़ो पढ़िए",
}


@pytest.mark.parametrize("stem", PERFECTIVES)
def test_the_perfective_participle_agrees(stem):
    made = [perfective(stem, f, p, True) for f in (False, True) for p in (False, True)]
    assert made == PERFECTIVES[stem].split()


def test_before_an_auxiliary_the_feminine_plural_is_not_nasal():
    assert perfective("पढ़", True, True, False) == "पढ़ी"
    assert imperfective("पढ़", True, True, False) == "पढ़ती"
    assert imperfective("पढ़", True, True, True) == "पढ़तीं"


@pytest.mark.parametrize("stem", FUTURES)
def test_the_future_agrees_in_person_number_and_gender(stem):
    people = [
        Agreement(person=1),
        Agreement(),
        Agreement(feminine=True),
        Agreement(plural=True),
        Agreement(feminine=True, plural=True),
        Agreement(person=2, plural=True),
    ]
    assert [future(stem, who) for who in people] == FUTURES[stem].split()


@pytest.mark.parametrize("stem", IMPERATIVES)
def test_the_imperative_depends_on_the_address(stem):
    made = [imperative(stem, who) for who in ("तू", "तुम", "आप")]
    assert made == IMPERATIVES[stem].split()


def test_to_be_in_the_present_and_the_past():
    assert present(Agreement(person=1)) == "हूँ"
    assert present(Agreement()) == "है"
    assert present(Agreement(plural=True)) == "हैं"
    assert present(Agreement(person=1, plural=True)) == "हैं"
    assert present(Agreement(person=2, plural=True)) == "हो"
    forms = [past(Agreement(f, p)) for f in (False, True) for p in (False, True)]
    assert forms == ["था", "थे", "थी", "थीं"]


def test_the_infinitive_agrees_like_an_adjective():
    made = [infinitive("कर"), infinitive("कर", changed=True), infinitive("कर", feminine=True)]
    assert made == ["करना", "करने", "करनी"]


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("मैं", "मैं|मैंने|मुझे|मुझसे|मुझ पर|मेरे साथ|मेरी"),
        ("तू", "तू|तूने|तुझे|तुझसे|तुझ पर|तेरे साथ|तेरी"),
        ("तुम", "तुम|तुमने|तुम्हें|तुमसे|तुम पर|तुम्हारे साथ|तुम्हारी"),
        ("आप", "आप|आपने|आपको|आपसे|आप पर|आपके साथ|आपकी"),
        ("हम", "हम|हमने|हमें|हमसे|हम पर|हमारे साथ|हमारी"),
        ("वह", "वह|उसने|उसे|उससे|उस पर|उसके साथ|उसकी"),
        ("वे", "वे|उन्होंने|उन्हें|उनसे|उन पर|उनके साथ|उनकी"),
        ("कौन", "कौन|किसने|किसे|किससे|किस पर|किसके साथ|किसकी"),
        ("जो", "जो|जिसने|जिसे|जिससे|जिस पर|जिसके साथ|जिसकी"),
        ("जो लोग", "जो|जिन्होंने|जिन्हें|जिनसे|जिन पर|जिनके साथ|जिनकी"),
    ],
)
def test_a_pronoun_has_a_form_for_every_case(name, forms):
    markers = ("", "ने", "को", "से", "पर", "के साथ", "की")
    assert [" ".join(pronoun(name, marker)) for marker in markers] == forms.split("|")


def test_a_demonstrative_agrees_in_number_and_case():
    made = [demonstrative("यह", p, o) for o in (False, True) for p in (False, True)]
    assert made == ["यह", "ये", "इस", "इन"]
    assert [demonstrative("जो", p, True) for p in (False, True)] == ["जिस", "जिन"]
