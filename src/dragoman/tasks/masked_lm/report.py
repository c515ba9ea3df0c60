"""The model card of a masked language model."""

from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.text_report import pretraining_table, text_purpose

MEASURES = {
    "accuracy": ("hidden words guessed", 100, " %"),
    "follows_accuracy": ("next sentences judged rightly", 100, " %"),
    "perplexity": ("perplexity of a token", 1, ""),
}
REPORT = CardReport(
    lambda folder, _: text_purpose(folder, "guesses hidden words of a text"),
    lambda stored: pretraining_table(stored, MEASURES),
)
