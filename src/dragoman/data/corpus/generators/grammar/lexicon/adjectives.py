"""Adjectives and the kinds of noun each one suits, so that no chair is hungry."""

from dragoman.data.corpus.generators.grammar.lexicon.entries import Adjective, rows

PEOPLE = "man woman kin"
FOOD = "fruit vegetable dish"
CARRIED = "pen blade key vessel container object fragile picture jewel"
GROUPS = {
    "person": PEOPLE,
    "animal": "animal",
    "food": FOOD,
    "drink": "drink liquid",
    "text": "reading paper lesson tale verse",
    "cloth": "cloth",
    "carried": CARRIED,
    "furniture": "furniture seat",
    "opening": "opening wall",
    "vehicle": "vehicle craft",
    "large": "furniture seat opening wall vehicle craft place area",
    "place": "place area",
    "thing": f"cloth vehicle craft furniture seat opening wall reading {CARRIED}",
}

# English | comparative | superlative | Hindi | what it suits
ADJECTIVES = """
big | bigger | biggest | बड़ा | animal large vessel container picture tree fruit
small | smaller | smallest | छोटा | animal fruit vegetable large carried tree
good | better | best | अच्छा | person animal food drink text cloth vehicle show song
new | newer | newest | नया | thing show song
old | older | oldest | पुराना | thing place show song
old | older | oldest | बूढ़ा | man woman animal
young | younger | youngest | जवान | man woman
tall | taller | tallest | लंबा | person
long | longer | longest | लंबा | tale verse song lesson
high | higher | highest | ऊँचा | wall tree
short | shorter | shortest | छोटा | tale verse song lesson
fat | fatter | fattest | मोटा | person animal
thin | thinner | thinnest | पतला | person
thick | thicker | thickest | मोटा | reading paper
red | redder | reddest | लाल | cloth vehicle fruit
green | greener | greenest | हरा | cloth opening
blue | bluer | bluest | नीला | cloth vehicle opening pen
yellow | yellower | yellowest | पीला | cloth vehicle
black | blacker | blackest | काला | animal cloth vehicle
white | whiter | whitest | सफ़ेद | animal cloth vehicle wall
brown | browner | brownest | भूरा | animal furniture
sweet | sweeter | sweetest | मीठा | fruit drink
sour | sourer | sourest | खट्टा | fruit
fresh | fresher | freshest | ताज़ा | fruit vegetable drink
hot | hotter | hottest | गरम | dish drink
cold | colder | coldest | ठंडा | dish drink
tasty | tastier | tastiest | स्वादिष्ट | food
ripe | riper | ripest | पका हुआ | fruit
expensive | more expensive | most expensive | महँगा | thing fruit
cheap | cheaper | cheapest | सस्ता | thing fruit
heavy | heavier | heaviest | भारी | furniture container
light | lighter | lightest | हल्का | cloth container
clean | cleaner | cleanest | साफ़ | place cloth vessel container
dirty | dirtier | dirtiest | गंदा | place cloth vessel container
wet | wetter | wettest | गीला | cloth
dry | drier | driest | सूखा | cloth
empty | emptier | emptiest | ख़ाली | vessel container place
strong | stronger | strongest | मज़बूत | furniture opening wall
beautiful | more beautiful | most beautiful | सुंदर | woman animal cloth jewel picture place show
broken | | | टूटा हुआ | furniture opening vehicle fragile vessel container pen
open | | | खुला | opening
interesting | more interesting | most interesting | दिलचस्प | text show question
easy | easier | easiest | आसान | question lesson
difficult | more difficult | most difficult | मुश्किल | question lesson
famous | more famous | most famous | मशहूर | man woman tale verse song place
clever | cleverer | cleverest | चतुर | person animal
honest | more honest | most honest | ईमानदार | person
rich | richer | richest | अमीर | person
poor | poorer | poorest | ग़रीब | person
brave | braver | bravest | बहादुर | person
kind | kinder | kindest | दयालु | person
lazy | lazier | laziest | आलसी | person animal
hardworking | more hardworking | most hardworking | मेहनती | person
weak | weaker | weakest | कमज़ोर | person animal
powerful | more powerful | most powerful | ताक़तवर | person animal
intelligent | more intelligent | most intelligent | बुद्धिमान | person
greedy | greedier | greediest | लालची | person
happy | happier | happiest | ख़ुश | person
sad | sadder | saddest | उदास | person
tired | | | थका हुआ | person animal
ill | | | बीमार | person animal
dangerous | more dangerous | most dangerous | ख़तरनाक | animal
naughty | naughtier | naughtiest | शरारती | animal man
hungry | | | भूखा | man woman animal | attributive
thirsty | | | प्यासा | man woman animal | attributive
"""


def kinds(groups: str) -> frozenset[str]:
    """Spell out the groups of a row as kinds of noun."""
    return frozenset(kind for group in groups.split() for kind in GROUPS.get(group, group).split())


adjectives = tuple(
    Adjective(row[0], row[1], row[2], row[3], kinds(row[4]), predicative=len(row) < 6)
    for row in rows(ADJECTIVES)
)
