"""Whom one speaks to: the form of address decides between तू, तुम and आप."""

from dataclasses import dataclass

from dragoman.data.corpus.generators.grammar.lexicon.entries import rows

VOCATIVES = """
Son | बेटा | तू
Daughter | बेटी | तू
Little one | मुन्ने | तू
Friend | दोस्त | तुम
Brother | भाई | तुम
Children | बच्चो | तुम
Boy | लड़के | तुम
Girl | लड़की | तुम
Ram | राम | तुम
Sita | सीता | तुम
Mohan | मोहन | तुम
Priya | प्रिया | तुम
Sir | श्रीमान | आप
Madam | मैडम | आप
Father | पिताजी | आप
Mother | माताजी | आप
Grandfather | दादाजी | आप
Mr. Sharma | शर्मा जी | आप
Mrs. Gupta | श्रीमती गुप्ता | आप
Doctor | डॉक्टर साहब | आप
"""


@dataclass(frozen=True, eq=False, slots=True)
class Vocative:
    """Somebody addressed."""

    english: str
    hindi: str
    address: str

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}!={self.hindi}"


vocatives = tuple(Vocative(*row) for row in rows(VOCATIVES))
