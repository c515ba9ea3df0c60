"""English contractions as people type them: I'm, don't, it's."""

import re

FORMS = (
    ("I am", "I'm"),
    ("it is", "it's"),
    ("that is", "that's"),
    ("what is", "what's"),
    ("where is", "where's"),
    ("who is", "who's"),
    ("he is", "he's"),
    ("she is", "she's"),
    ("you are", "you're"),
    ("we are", "we're"),
    ("they are", "they're"),
    ("let us", "let's"),
    ("cannot", "can't"),
    ("will not", "won't"),
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("have not", "haven't"),
    ("has not", "hasn't"),
    ("should not", "shouldn't"),
    ("I will", "I'll"),
    ("we will", "we'll"),
    ("you will", "you'll"),
    ("he will", "he'll"),
    ("she will", "she'll"),
    ("they will", "they'll"),
    ("I have", "I've"),
)
SHORT = {long.lower(): short for long, short in FORMS}
# "I have a pen" is no "I've a pen": only before a participle, which ends in these.
PERFECT = r"I have(?= \w+(?:ed|en)\b)"
LONG = re.compile(rf"\b(?:{'|'.join(long for long, _ in FORMS[:-1])}|{PERFECT})\b", re.IGNORECASE)


def contract(text: str) -> str:
    """Contract the first place of a text that can be; a text without one stays as it is."""
    return LONG.sub(_shorten, text, count=1)


def _shorten(found: re.Match[str]) -> str:
    short = SHORT[found[0].lower()]
    return short[0].upper() + short[1:] if found[0][0].isupper() else short
