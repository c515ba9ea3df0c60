"""People and animals: everyone who can be the subject of a verb of doing."""

from dragoman.data.corpus.generators.grammar.agreement import FEMININE, MASCULINE
from dragoman.data.corpus.generators.grammar.lexicon.entries import Noun, gender, rows

MEN = """
man | men | आदमी
boy | boys | लड़का
child | children | बच्चा
farmer | farmers | किसान
king | kings | राजा =
prince | princes | राजकुमार
soldier | soldiers | सैनिक
thief | thieves | चोर
doctor | doctors | डॉक्टर
teacher | teachers | अध्यापक
student | students | छात्र
shopkeeper | shopkeepers | दुकानदार
gardener | gardeners | माली
servant | servants | नौकर
washerman | washermen | धोबी
driver | drivers | ड्राइवर
merchant | merchants | व्यापारी
fisherman | fishermen | मछुआरा
guest | guests | मेहमान
neighbour | neighbours | पड़ोसी
poet | poets | कवि
leader | leaders | नेता =
carpenter | carpenters | बढ़ई
tailor | tailors | दर्ज़ी
lawyer | lawyers | वकील
minister | ministers | मंत्री
player | players | खिलाड़ी
engineer | engineers | इंजीनियर
"""

WOMEN = """
woman | women | औरत
girl | girls | लड़की
queen | queens | रानी
princess | princesses | राजकुमारी
nurse | nurses | नर्स
actress | actresses | अभिनेत्री
maid | maids | नौकरानी
lady | ladies | महिला
schoolgirl | schoolgirls | छात्रा
milkmaid | milkmaids | ग्वालिन
"""

# Kinship is always somebody's; the last column marks those one speaks of with respect.
KIN = """
brother | brothers | भाई | m |
sister | sisters | बहन | f |
son | sons | बेटा | m |
daughter | daughters | बेटी | f |
friend | friends | दोस्त | m |
father | | पिताजी | m | respect
mother | | माँ | f | respect
grandfather | | दादाजी | m | respect
grandmother | | दादीजी | f | respect
uncle | | चाचाजी | m | respect
aunt | | चाचीजी | f | respect
"""

NAMES = """
Ram | राम | m
Mohan | मोहन | m
Ravi | रवि | m
Arjun | अर्जुन | m
Gopal | गोपाल | m
Amit | अमित | m
Rahul | राहुल | m
Sita | सीता | f
Priya | प्रिया | f
Radha | राधा | f
Kavita | कविता | f
Neha | नेहा | f
Asha | आशा | f
Leela | लीला | f
"""

SURNAMES = """
Sharma | शर्मा
Gupta | गुप्ता
Verma | वर्मा
Mehta | मेहता
Singh | सिंह
Joshi | जोशी
"""

# These names only own things, so that nobody is ever spoken of twice in a clause.
OWNERS = """
Anil's | अनिल का
Meera's | मीरा का
Vijay's | विजय का
Rekha's | रेखा का
the king's | राजा का
the farmer's | किसान का
"""

ANIMALS = """
dog | dogs | कुत्ता | m
cat | cats | बिल्ली | f
horse | horses | घोड़ा | m
cow | cows | गाय | f
bird | birds | चिड़िया | f
elephant | elephants | हाथी | m
monkey | monkeys | बंदर | m
lion | lions | शेर | m
mouse | mice | चूहा | m
goat | goats | बकरी | f
parrot | parrots | तोता | m
crow | crows | कौआ | m
snake | snakes | साँप | m
rabbit | rabbits | ख़रगोश | m
camel | camels | ऊँट | m
bear | bears | भालू | m
"""

# What one can be or become: the word for a man, and for a woman where it differs.
PROFESSIONS = """
doctor | डॉक्टर |
teacher | अध्यापक | अध्यापिका
student | छात्र | छात्रा
writer | लेखक | लेखिका
singer | गायक | गायिका
lawyer | वकील |
engineer | इंजीनियर |
player | खिलाड़ी |
minister | मंत्री |
"""


def common(table: str, feminine: bool, kind: str) -> tuple[Noun, ...]:
    """Read common nouns of one gender; "=" marks a masculine that keeps its ा."""
    return tuple(
        Noun(english, plural, hindi.removesuffix(" ="), feminine, kind, inflects=hindi[-1] != "=")
        for english, plural, hindi in rows(table)
    )


def titled() -> tuple[Noun, ...]:
    """Make the titled people; a title always asks for respect."""
    people = []
    for english, hindi in rows(SURNAMES):
        for title, words, feminine in (
            (f"Mr. {english}", f"{hindi} जी", MASCULINE),
            (f"Mrs. {english}", f"श्रीमती {hindi}", FEMININE),
            (f"Dr. {english}", f"डॉक्टर {hindi}", MASCULINE),
        ):
            people.append(Noun(title, "", words, feminine, "name", honorific=True, inflects=False))
    return tuple(people)


men = common(MEN, MASCULINE, "man")
women = common(WOMEN, FEMININE, "woman")
kin = tuple(
    Noun(english, plural, hindi, gender(letter), "kin", respect == "respect", respect == "")
    for english, plural, hindi, letter, respect in rows(KIN)
)
names = tuple(
    Noun(english, "", hindi, gender(letter), "name", inflects=False)
    for english, hindi, letter in rows(NAMES)
)
animals = tuple(
    Noun(english, plural, hindi, gender(letter), "animal")
    for english, plural, hindi, letter in rows(ANIMALS)
)
professions = tuple(
    Noun(english, english + "s", hindi, MASCULINE, "profession", counterpart=woman)
    for english, hindi, woman in rows(PROFESSIONS)
)
