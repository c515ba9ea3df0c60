"""Words that sound alike: of two sentences one is right, and only its sense says which.

    The man pulled a cart yesterday.    The man pooled a cart yesterday.

Each word of a pair is right in some sentences and wrong in others, so that knowing which word is
the more frequent does not help.
"""

from random import Random
from typing import NamedTuple

from dragoman.data.corpus.generators.agreement import PEOPLE
from dragoman.data.corpus.generators.sampling import draw_distinct

PAST = (
    *("yesterday", "last night", "this morning", "last week", "on Sunday", "two days ago"),
    *("on Friday", "last month", "an hour ago", "in the evening"),
)
COMING = ("tomorrow", "next week", "on Monday", "in the morning", "tonight", "next month")

FRAMES = """
pulled | pooled | The {who} _ a cart {past}.
pulled | pooled | The {who} _ the rope with both hands.
pooled | pulled | The {whos} _ their money to buy a cart {past}.
pooled | pulled | The {whos} _ their savings and shared the cost.
sea | see | The {who} swam in the _ {past}.
sea | see | The {who} lives in a house by the _.
see | sea | The {who} could _ the moon {past}.
see | sea | The {whos} came to _ the new palace {past}.
meat | meet | The {who} bought some _ at the market {past}.
meat | meet | The {who} cooked the _ with rice {past}.
meet | meat | The {who} will _ the minister {coming}.
meet | meat | The {whos} wanted to _ the new neighbour {past}.
write | right | The {who} will _ a long letter {coming}.
write | right | The {whos} learned to _ their names {past}.
right | write | The {who} gave the _ answer {past}.
right | write | The {who} turned _ at the corner {past}.
flour | flower | The {who} made bread with _ and water {past}.
flour | flower | The {who} bought a sack of _ {past}.
flower | flour | The {who} picked a red _ in the garden {past}.
flower | flour | The {who} gave the bride a white _ {past}.
son | sun | The {who} has a _ and two daughters.
son | sun | The {who} came with a wife and a _ {past}.
sun | son | The {who} watched the _ rise over the hills {past}.
sun | son | The {who} sat in the shade because the _ was hot.
knew | new | The {who} _ the answer {past}.
knew | new | The {whos} _ every song by heart.
new | knew | The {who} bought a _ coat {past}.
new | knew | The {who} moved to a _ house {past}.
ate | eight | The {who} _ a mango {past}.
ate | eight | The {whos} _ their dinner and went to bed.
eight | ate | The {who} sold _ horses {past}.
eight | ate | The {who} works _ hours a day.
bear | bare | The {who} saw a _ in the forest {past}.
bear | bare | A large brown _ frightened the {who} {past}.
bare | bear | The {who} walked with _ feet {past}.
bare | bear | The {who} stood in a _ room without a chair.
piece | peace | The {who} ate a _ of cake {past}.
piece | peace | The {who} tore a _ of paper {past}.
peace | piece | The {whos} made _ after a long war.
peace | piece | The {who} wants to live in _ and quiet.
weak | week | The {who} was too _ to stand {past}.
weak | week | The {who} drank a cup of _ tea {past}.
week | weak | The {who} will come back next _.
week | weak | The {who} stayed at home for a whole _.
sale | sail | The {who} bought a shirt in the summer _.
sale | sail | The old house of the {who} is for _.
sail | sale | The {who} will _ across the lake {coming}.
sail | sale | The {whos} learned to _ a small boat {past}.
tail | tale | The dog of the {who} has a long _.
tail | tale | The {who} held the donkey by its _ {past}.
tale | tail | The {who} told us a _ about dragons {past}.
tale | tail | The {who} read a fairy _ {past}.
road | rode | The {who} walked along the _ {past}.
road | rode | The {who} crossed the _ {past}.
rode | road | The {who} _ a white horse {past}.
rode | road | The {whos} _ to the village on bicycles {past}.
blue | blew | The {who} wore a _ shirt {past}.
blue | blew | The {who} painted the door _ {past}.
blew | blue | The {who} _ out the candle {past}.
blew | blue | The {who} _ on the hot soup {past}.
hear | here | The {who} could _ music {past}.
hear | here | The {whos} did not _ the bell {past}.
here | hear | The {who} came _ {past}.
here | hear | The {who} has lived _ for ten years.
hole | whole | The {who} dug a _ in the garden {past}.
hole | whole | The {who} has a _ in one shoe.
whole | hole | The {who} ate the _ cake {past}.
whole | hole | The {who} stayed awake the _ night.
night | knight | The {who} slept badly that _.
night | knight | The {who} works day and _.
knight | night | The {who} met a _ in shining armour {past}.
knight | night | A _ on a black horse saved the {who} {past}.
pair | pear | The {who} bought a _ of shoes {past}.
pair | pear | The {who} lost a _ of gloves {past}.
pear | pair | The {who} ate a ripe _ {past}.
pear | pair | The {who} picked a _ from the tree {past}.
plane | plain | The {who} flew home in a _ {past}.
plane | plain | The {who} boarded the _ to Delhi {past}.
plain | plane | The {who} wore a _ white shirt {past}.
plain | plane | The {who} likes _ food.
threw | through | The {who} _ a stone into the river {past}.
threw | through | The {who} _ the ball over the wall {past}.
through | threw | The {who} walked _ the forest {past}.
through | threw | The {who} looked _ the window {past}.
wait | weight | The {who} will _ for the bus {coming}.
wait | weight | The {whos} had to _ for an hour {past}.
weight | wait | The {who} could not lift the _ {past}.
weight | wait | The {who} has lost a lot of _.
wood | would | The {who} cut _ for the fire {past}.
wood | would | The table of the {who} is made of _.
would | wood | The {who} said that it _ rain.
would | wood | The {who} _ not open the door {past}.
won | one | The {who} _ the race {past}.
won | one | The {whos} _ three games {past}.
one | won | The {who} has only _ brother.
one | won | The {who} kept _ apple and gave me two.
break | brake | The {who} did not _ the window {past}.
break | brake | The {who} will _ a promise {coming}.
brake | break | The {who} mended the _ of the bicycle {past}.
brake | break | The {who} stepped on the _ and the car stopped.
deer | dear | The {who} saw a _ in the forest {past}.
deer | dear | A young _ ran away from the {who} {past}.
dear | deer | The {who} wrote to a _ friend {past}.
dear | deer | The {who} is very _ to me.
steal | steel | The {who} tried to _ a horse {past}.
steal | steel | The {who} would never _ money.
steel | steal | The {who} bought a _ knife {past}.
steel | steal | The {who} made a gate of _ {past}.
their | there | The {whos} sold _ house {past}.
their | there | The {whos} washed _ hands {past}.
there | their | The {who} went _ alone {past}.
there | their | The {who} said that _ was no water {past}.
"""


class Homophones(NamedTuple):
    """A sentence with the right word and the same with the one that only sounds right."""

    good: str
    bad: str
    word: str
    rival: str


class Frame(NamedTuple):
    """A sentence with a gap for one of two words, and with places for anybody and any time."""

    word: str
    rival: str
    text: str


def frames() -> list[Frame]:
    """Give all sentences with their gaps, in order."""
    rows = ([cell.strip() for cell in line.split("|")] for line in FRAMES.strip().splitlines())
    return [Frame(*row) for row in rows]


def draw_homophones(count: int, *, seed: int) -> list[Homophones]:
    """Draw distinct pairs of sentences, one right and one wrong."""
    known = frames()

    def make(random: Random) -> Homophones:
        word, rival, frame = random.choice(known)
        one, many = random.choice(PEOPLE)
        past, coming = random.choice(PAST), random.choice(COMING)
        text = frame.format(who=one, whos=many, past=past, coming=coming)
        return Homophones(text.replace("_", word), text.replace("_", rival), word, rival)

    return draw_distinct(make, count, seed=f"homophones/{seed}")
