"""Adverbs of time, frequency and manner."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import Adverb, rows

# English | Hindi | the times it suits; कल is yesterday or tomorrow, the verb settles which
TIMES = """
yesterday | कल | past moment
last night | कल रात | past moment
last week | पिछले हफ़्ते | past
last year | पिछले साल | past
two days ago | दो दिन पहले | past
three months ago | तीन महीने पहले | past
this morning | आज सुबह | past moment
today | आज | past future
now | अभी | present
these days | आजकल | present
tomorrow | कल | future
next week | अगले हफ़्ते | future
next year | अगले साल | future
next month | अगले महीने | future
on Monday | सोमवार को | past future
on Friday | शुक्रवार को | past future
on Sunday | रविवार को | past future
in the evening | शाम को | past moment future
at night | रात को | past future
at five o'clock | पाँच बजे | past moment future
"""

# English | Hindi | where English puts it: before the verb or at the end
FREQUENCIES = """
often | अक्सर | before
always | हमेशा | before
usually | आमतौर पर | before
sometimes | कभी-कभी | before
never | कभी | before
every day | हर दिन | end
every morning | हर सुबह | end
every evening | हर शाम | end
every night | हर रात | end
"""

MANNERS = """
slowly | धीरे-धीरे | move task
quickly | जल्दी-जल्दी | move task
carefully | ध्यान से | task
loudly | ज़ोर से | voice
softly | धीरे से | voice
alone | अकेले | move
happily | ख़ुशी से | task
quietly | चुपचाप | move task
"""

times = tuple(Adverb(row[0], row[1], frozenset(row[2].split())) for row in rows(TIMES))
frequencies = tuple(
    Adverb(row[0], row[1], frozenset(row[2].split()), negates=row[0] == "never")
    for row in rows(FREQUENCIES)
)
manners = tuple(Adverb(row[0], row[1], frozenset(row[2].split())) for row in rows(MANNERS))
