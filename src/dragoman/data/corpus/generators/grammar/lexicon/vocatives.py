"""Whom one speaks to: the form of address decides between तू, तुम and आप."""

from dataclasses import dataclass

from dragoman.data.corpus.generators.grammar.lexicon.entries import gender, rows

VOCATIVES = """
Son | बेटा | तू | m
Daughter | बेटी | तू | f
Little one | मुन्ने | तू | m
Friend | दोस्त | तुम | m
Brother | भाई | तुम | m
Children | बच्चो | तुम | m
Boy | लड़के | तुम | m
Girl | लड़की | तुम | f
Ram | राम | तुम | m
Sita | सीता | तुम | f
Mohan | मोहन | तुम | m
Priya | प्रिया | तुम | f
Sir | श्रीमान | आप | m
Madam | मैडम | आप | f
Father | पिताजी | आप | m
Mother | माताजी | आप | f
Grandfather | दादाजी | आप | m
Mr. Sharma | शर्मा जी | आप | m
Mrs. Gupta | श्रीमती गुप्ता | आप | f
Doctor | डॉक्टर साहब | आप | m
"""


@dataclass(frozen=True, eq=False, slots=True)
class Vocative:
    """Somebody addressed."""

    english: str
    hindi: str
    address: str
    feminine: bool

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}!={self.hindi}"


vocatives = tuple(Vocative(row[0], row[1], row[2], gender(row[3])) for row in rows(VOCATIVES))
