"""The model card of a masked language model."""

from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.text_report import pretraining_table, text_purpose

MEASURES = {
    "accuracy": ("masked tokens predicted", 100, " %"),
    "follows_accuracy": ("next-sentence accuracy", 100, " %"),
    "perplexity": ("perplexity per token", 1, ""),
}
REPORT = CardReport(
    lambda folder, _: text_purpose(folder, "predicts masked tokens"),
    lambda stored: pretraining_table(stored, MEASURES),
)
