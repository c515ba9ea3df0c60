"""Claims on one-hot vectors and the tables that they look up."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.lab.baselines.bag_of_words import one_hot
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.lab.sampling import seeded
from dragoman.lab.topics.text.samples import PAIRS
from dragoman.neural.layers.embedding import embedding_tables
from dragoman.plots.lab import HeatMap


class OneHotSettings(Settings):
    """Random tokens, and a random table with a vector for each."""

    vocabulary: int = Field(default=12, ge=2, le=500)
    """Tokens of the vocabulary."""
    width: int = Field(default=4, ge=1, le=256)
    """Numbers of a vector."""
    tokens: int = Field(default=6, ge=1, le=100)
    """Tokens of the text."""
    seed: int = Field(default=1, ge=0)
    """Seed of text and table."""

    def text(self) -> torch.Tensor:
        """Return the numbers of the tokens."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randint(self.vocabulary, (self.tokens,), generator=generator)

    def table(self) -> torch.nn.Embedding:
        """Return our table, with random vectors."""
        with seeded(self.seed):
            table, _ = embedding_tables(self.vocabulary, self.vocabulary, self.width, shared=True)
            return table.double()


@claim(
    "B15",
    "As a one-hot vector a token is nought everywhere but at its number. All such vectors are "
    "equally far from each other; multiplied with a matrix, one picks a row of it.",
    r"\mathbf{w}_i = (0, \ldots, 0, 1, 0, \ldots, 0), \qquad \mathbf{w}_i \mathbf{W} = "
    r"\mathbf{W}_{i,:}",
)
def one_hot_tokens(settings: OneHotSettings) -> Evidence:
    """Compare our one-hot rows with torch's, and their products with a table's rows."""
    text, table = settings.text(), settings.table()
    rows = one_hot(text.tolist(), settings.vocabulary)
    every = one_hot(range(settings.vocabulary), settings.vocabulary)
    apart_from_others = torch.pdist(every)
    return Evidence(
        stated=[
            same("difference from torch's one-hot", rows, F.one_hot(text, settings.vocabulary)),
            same(
                "one-hot times the matrix, difference from its rows",
                rows @ table.weight,
                table(text),
            ),
            same(
                "distance of any two, difference from √2",
                apart_from_others,
                torch.full_like(apart_from_others, 2**0.5),
            ),
        ],
        plot=[HeatMap("The text in one-hot rows", rows[:12, :40].tolist(), "token", "place")],
    )


@claim(
    "B36",
    "An embedding is a matrix $\\mathbf{E}$ with a column for each word; the vector of a word is "
    "that matrix times its one-hot vector. Looking the column up gives the same without the "
    "multiplications, and the same gradient: only the columns of words that were read change.",
    r"\mathbf{x}_i = \mathbf{E} \mathbf{w}_i, \qquad "
    r"\frac{\partial L}{\partial \mathbf{E}} = \sum_i "
    r"\frac{\partial L}{\partial \mathbf{x}_i} \mathbf{w}_i^{\top}",
)
def embedding_product(settings: OneHotSettings) -> Evidence:
    """Compare our table with the product, in value and in gradient."""
    text, table = settings.text(), settings.table()
    columns = one_hot(text.tolist(), settings.vocabulary).mT  # V n
    matrix = table.weight.detach().mT.clone().requires_grad_()  # d V
    looked_up, product = table(text), (matrix @ columns).mT
    weights = torch.linspace(-1, 1, looked_up.numel(), dtype=torch.float64).view_as(looked_up)
    (slope,) = torch.autograd.grad((looked_up * weights).sum(), table.weight)
    (other,) = torch.autograd.grad((product * weights).sum(), matrix)
    unread = [token for token in range(settings.vocabulary) if token not in {*text.tolist()}]
    return Evidence(
        stated=[
            same("lookup, difference from E w", looked_up, product),
            same("its gradient, difference", slope, other.mT),
            same(
                "gradient of words that were not read",
                slope[unread],
                torch.zeros_like(slope[unread]),
            ),
        ],
        numbers={"multiplications saved": settings.tokens * settings.vocabulary * settings.width},
    )


@claim(
    "E81",
    "The letters of *bad* are three vectors of 26 numbers. Their ones stand at the places of $b$, "
    "$a$ and $d$ in the alphabet: the second, the first and the fourth.",
    r"b \to \mathbf{e}_1, \quad a \to \mathbf{e}_0, \quad d \to \mathbf{e}_3 \in \{0, 1\}^{26}",
    notes="the third vector, that of $d$, has its one at the very end",
)
def letters_of_bad(settings: NoParameters) -> Evidence:
    """Look where the ones of our rows stand."""
    rows = one_hot([ord(letter) - ord("a") for letter in "bad"], 26)
    places = rows.argmax(1).tolist()
    return Evidence(
        premises=[
            equal("numbers of a vector", rows.shape[1], 26),
            equal("sum of all three vectors", rows.sum(), 3),
            equal("place of the one for b", places[0], "abcdefghijklmnopqrstuvwxyz".index("b")),
            equal("place of the one for a", places[1], 0),
        ],
        stated=[equal("place of the one for d", places[2], 25)],
        corrected=[
            equal("place of the one for d", places[2], "abcdefghijklmnopqrstuvwxyz".index("d"))
        ],
        plot=[HeatMap("The letters of bad", rows.tolist(), "letter", "place", rows=tuple("bad"))],
    )


@claim(
    "E119",
    "A translator reads and writes one-of-K vectors. Source and target have vocabularies of their "
    "own, so the inputs have $K_x$ numbers and the outputs $K_y$; each has a single one.",
    r"\mathbf{x}_i \in \{0, 1\}^{K_x}, \quad \mathbf{y}_j \in \{0, 1\}^{K_y}, \qquad "
    r"\sum_k x_{i,k} = \sum_k y_{j,k} = 1",
)
def one_of_k(settings: NoParameters) -> Evidence:
    """Build two vocabularies of words from sentence pairs, and write a pair in their vectors."""
    both = train_tokenizer_pair(WordTokenizerSettings(shared=False), PAIRS)
    sides = {"source": both.source, "target": both.target}
    texts = {
        "source": [pair.source for pair in PAIRS],
        "target": [pair.target for pair in PAIRS],
    }
    stated = []
    for name, side in sides.items():
        words = {word for text in texts[name] for word in text.split()}
        ids = side.encode(texts[name][1])
        rows = one_hot(ids, side.size)
        stated += [
            equal(f"{name}: entries, less the special ones", side.size - FIRST_PIECE, len(words)),
            equal(f"{name}: numbers of a vector", rows.shape[1], len(side.pieces)),
            same(f"{name}: sum of each vector", rows.sum(1), torch.ones(len(ids))),
            equal(
                f"{name}: text read back from the ones",
                side.decode(rows.argmax(1).tolist()) == texts[name][1],
                1,
            ),
        ]
    first, second = (one_hot([FIRST_PIECE], side.size) for side in sides.values())
    return Evidence(
        stated=[*stated, apart("the two spaces are not one", first, second, 1)],
        numbers={"K of the source": both.source.size, "K of the target": both.target.size},
    )
