"""Verbs without an object, or whose object Hindi marks with a postposition of its own."""

from dragoman.data.corpus.generators.grammar.hindi.agreement import FEMININE, MASCULINE
from dragoman.data.corpus.generators.grammar.lexicon.entries import Verb

GOING = frozenset({"goal", "source", "companion", "move"})
DOING = frozenset({"in", "companion"})
BEINGS = ("people", "animals")

motions = (
    Verb("go", "went", "gone", "जा", extras=GOING, subjects=BEINGS),
    Verb("come", "came", "come", "आ", extras=GOING, subjects=BEINGS),
    Verb(
        "go", "went", "gone", "जा",
        particle="away", nominal="चला", nominal_inflects=True,
        extras=frozenset({"source", "move"}), subjects=BEINGS,
    ),
    Verb("come", "came", "come", "आ", particle="back", nominal="वापस", vector="जा",
         extras=frozenset({"source"})),
    Verb("run", "ran", "run", "दौड़", extras=frozenset({"in", "reach"}), subjects=BEINGS),
    Verb("run", "ran", "run", "भाग", particle="away", vector="जा",
         extras=frozenset({"source"}), subjects=BEINGS),
    Verb("walk", "walked", "walked", "चल", extras=frozenset({"reach", "companion", "move"})),
    Verb("return", "returned", "returned", "लौट", extras=frozenset({"source", "move"})),
    Verb("arrive", "arrived", "arrived", "पहुँच", extras=frozenset({"at"}), punctual=True,
         commands=False),
    Verb("swim", "swam", "swum", "तैर", extras=frozenset({"water", "companion", "move"}), subjects=BEINGS),
    Verb("wander", "wandered", "wandered", "घूम", extras=frozenset({"in", "companion", "move"}),
         subjects=BEINGS),
)

activities = (
    Verb("sleep", "slept", "slept", "सो", extras=frozenset({"in", "on"}), subjects=BEINGS),
    Verb("fall", "fell", "fallen", "सो", particle="asleep", vector="जा",
         extras=frozenset({"in", "on"}), subjects=BEINGS, punctual=True, commands=False),
    Verb("wake", "woke", "woken", "जाग", particle="up", vector="जा", subjects=BEINGS),
    Verb("get", "got", "got", "उठ", particle="up", vector="जा"),
    Verb("sit", "sat", "sat", "बैठ", extras=frozenset({"in", "on", "companion"}),
         subjects=BEINGS, posture=True),
    Verb("sit", "sat", "sat", "बैठ", particle="down", vector="जा", extras=frozenset({"on"}),
         subjects=BEINGS),
    Verb("lie", "lay", "lain", "लेट", extras=frozenset({"in", "on"}), posture=True),
    Verb("stand", "stood", "stood", "हो", particle="up", nominal="खड़ा", nominal_inflects=True,
         vector="जा"),
    Verb("play", "played", "played", "खेल", extras=DOING, subjects=BEINGS),
    Verb("dance", "danced", "danced", "नाच", extras=DOING | {"task"}),
    Verb("laugh", "laughed", "laughed", "हँस", extras=frozenset({"companion", "voice"})),
    Verb("cry", "cried", "cried", "रो", extras=frozenset({"in", "voice"})),
    Verb("bathe", "bathed", "bathed", "नहा", extras=frozenset({"water"})),
    Verb("live", "lived", "lived", "रह", extras=frozenset({"in", "companion"}), stative=True,
         commands=False),
    Verb("stay", "stayed", "stayed", "रुक", extras=DOING),
    Verb("work", "worked", "worked", "कर", nominal="काम", nominal_gender=MASCULINE, ergative=True,
         extras=DOING | {"task"}),
    Verb("rest", "rested", "rested", "कर", nominal="आराम", nominal_gender=MASCULINE,
         ergative=True, extras=DOING),
    Verb("die", "died", "died", "मर", vector="जा", extras=frozenset({"in"}), subjects=BEINGS,
         once=True, commands=False),
    Verb("fall", "fell", "fallen", "गिर", particle="down", vector="जा", extras=frozenset({"in"}),
         subjects=BEINGS, commands=False),
)

# The object is a person; Hindi says whose help, from whom one fears, with whom one fights.
socials = (
    Verb("meet", "met", "met", "मिल", marker="से", objects=("person",), extras=frozenset({"in"})),
    Verb("talk", "talked", "talked", "कर", particle="to", nominal="बात", nominal_gender=FEMININE,
         ergative=True, marker="से", objects=("person",), extras=frozenset({"in", "voice"})),
    Verb("help", "helped", "helped", "कर", nominal="मदद", nominal_gender=FEMININE, ergative=True,
         marker="की", objects=("person",), extras=frozenset({"in"})),
    Verb("wait", "waited", "waited", "कर", particle="for", nominal="इंतज़ार",
         nominal_gender=MASCULINE, ergative=True, marker="का", objects=("person",),
         extras=frozenset({"in"})),
    Verb("praise", "praised", "praised", "कर", nominal="तारीफ़", nominal_gender=FEMININE,
         ergative=True, marker="की", objects=("person",), extras=frozenset({"voice"})),
    Verb("follow", "followed", "followed", "कर", nominal="पीछा", nominal_gender=MASCULINE,
         ergative=True, marker="का", objects=("person", "animal"), extras=frozenset({"move"})),
    Verb("insult", "insulted", "insulted", "कर", nominal="अपमान", nominal_gender=MASCULINE,
         ergative=True, marker="का", objects=("person",), extras=frozenset({"in"})),
    Verb("trust", "trusted", "trusted", "कर", nominal="भरोसा", nominal_gender=MASCULINE,
         ergative=True, marker="पर", objects=("person",), stative=True),
    Verb("fight", "fought", "fought", "लड़", particle="with", marker="से", objects=("person",),
         extras=frozenset({"in"})),
    Verb("laugh", "laughed", "laughed", "हँस", particle="at", marker="पर", objects=("person",),
         extras=frozenset({"voice"})),
    Verb("fear", "feared", "feared", "डर", marker="से", objects=("person", "animal"),
         stative=True),
    Verb("love", "loved", "loved", "कर", nominal="प्यार", nominal_gender=MASCULINE, ergative=True,
         marker="से", objects=("person",), stative=True),
    Verb("thank", "thanked", "thanked", "दे", nominal="धन्यवाद", nominal_gender=MASCULINE,
         ergative=True, marker="को", objects=("person",), extras=frozenset({"in"})),
    Verb("forgive", "forgave", "forgiven", "कर", nominal="माफ़", ergative=True, vector="दे",
         marker="को", objects=("person",)),
)
