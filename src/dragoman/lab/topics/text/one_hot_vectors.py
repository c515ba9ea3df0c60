"""Claims on one-hot vectors and the tables that they look up."""

import torch
from pydantic import Field
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.lab.baselines.bag_of_words import one_hot
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.sampling import seeded
from dragoman.lab.topics.text.samples import PAIRS
from dragoman.neural.layers.embedding import embedding_tables
from dragoman.plots.lab import HeatMap


class OneHotSettings(Settings):
    """A random text, and a random embedding table."""

    vocabulary: int = Field(default=12, ge=2, le=500)
    """Size of the vocabulary (V)."""
    width: int = Field(default=4, ge=1, le=256)
    """Entries of a vector (d)."""
    tokens: int = Field(default=6, ge=1, le=100)
    """Length of the text."""
    seed: int = Field(default=1, ge=0)
    """Seed of text and table."""

    def text(self) -> torch.Tensor:
        """Return the token ids."""
        generator = torch.Generator().manual_seed(self.seed)
        return torch.randint(self.vocabulary, (self.tokens,), generator=generator)

    def table(self) -> torch.nn.Embedding:
        """Return our embedding table, with random vectors."""
        with seeded(self.seed):
            table, _ = embedding_tables(self.vocabulary, self.vocabulary, self.width, shared=True)
            return table.double()


@claim(
    "B15",
    "As a one-hot vector, a token is zero everywhere except at its index. All such vectors are "
    "equally far from each other, and multiplying one with a matrix selects a row of the "
    "matrix.",
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
                "difference of one-hot times matrix from its rows",
                rows @ table.weight,
                table(text),
            ),
            same(
                "difference of all distances from √2",
                apart_from_others,
                torch.full_like(apart_from_others, 2**0.5),
            ),
        ],
        plot=[HeatMap("The text as one-hot rows", rows[:12, :40].tolist(), "token", "entry")],
    )


@claim(
    "B36",
    r"An embedding is a matrix $\mathbf{E}$ with a column for each word; the vector of a word is "
    "this matrix times the word's one-hot vector. A lookup gives the same result without the "
    "multiplications, and the same gradient: only the columns of words that occur in the text "
    "change.",
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
    (gradient,) = torch.autograd.grad((looked_up * weights).sum(), table.weight)
    (other,) = torch.autograd.grad((product * weights).sum(), matrix)
    unread = [token for token in range(settings.vocabulary) if token not in {*text.tolist()}]
    return Evidence(
        stated=[
            same("difference of the lookup from E w", looked_up, product),
            same("difference of the two gradients", gradient, other.mT),
            same(
                "gradient of words that do not occur",
                gradient[unread],
                torch.zeros_like(gradient[unread]),
            ),
        ],
        numbers={"multiplications saved": settings.tokens * settings.vocabulary * settings.width},
    )


@claim(
    "E81",
    "The letters of *bad* are three vectors of 26 entries. Their ones stand at the positions of "
    "$b$, $a$ and $d$ in the alphabet: the second, the first and the fourth.",
    r"b \to \mathbf{e}_1, \quad a \to \mathbf{e}_0, \quad d \to \mathbf{e}_3 \in \{0, 1\}^{26}",
    notes="the third vector, that of $d$, has its one in the last entry.",
)
def letters_of_bad(settings: NoParameters) -> Evidence:
    """Find the positions of the ones in our rows."""
    rows = one_hot([ord(letter) - ord("a") for letter in "bad"], 26)
    places = rows.argmax(1).tolist()
    return Evidence(
        premises=[
            equal("entries of a vector", rows.shape[1], 26),
            equal("sum of all three vectors", rows.sum(), 3),
            equal("index of the one for b", places[0], "abcdefghijklmnopqrstuvwxyz".index("b")),
            equal("index of the one for a", places[1], 0),
        ],
        stated=[equal("index of the one for d", places[2], 25)],
        corrected=[
            equal("index of the one for d", places[2], "abcdefghijklmnopqrstuvwxyz".index("d"))
        ],
        plot=[HeatMap("The letters of bad", rows.tolist(), "letter", "entry", rows=tuple("bad"))],
    )


@claim(
    "E119",
    "A translator reads and writes one-of-K vectors. Source and target have their own "
    "vocabularies, so the input vectors have $K_x$ entries and the output vectors $K_y$; each "
    "contains a single one.",
    r"\mathbf{x}_i \in \{0, 1\}^{K_x}, \quad \mathbf{y}_j \in \{0, 1\}^{K_y}, \qquad "
    r"\sum_k x_{i,k} = \sum_k y_{j,k} = 1",
)
def one_of_k(settings: NoParameters) -> Evidence:
    """Build two word vocabularies from sentence pairs, and encode a pair with them."""
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
    ids = [number for text in texts["target"] for number in both.source.encode(text)]
    known = equal("target words that the source vocabulary knows", _known(both.source, ids), 0)
    return Evidence(
        stated=[*stated, known],
        numbers={"K_x, source": both.source.size, "K_y, target": both.target.size},
    )


def _known(side: Tokenizer, ids: list[int]) -> int:
    """Count the words among some token ids: neither unknown nor special."""
    return sum(number >= FIRST_PIECE and number != side.unknown for number in ids)
