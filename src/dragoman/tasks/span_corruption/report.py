"""The model card of a network that restores spans."""

from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.text_report import pretraining_table, text_purpose

MEASURES = {
    "exact_spans": ("spans restored exactly", 100, " %"),
    "perplexity": ("perplexity per token", 1, ""),
}
REPORT = CardReport(
    lambda folder, _: text_purpose(folder, "restores corrupted spans"),
    lambda stored: pretraining_table(stored, MEASURES),
)
