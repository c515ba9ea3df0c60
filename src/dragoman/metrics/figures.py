"""The figures of a validation by name, as they are written for people."""

FIGURES = {
    "bleu": "BLEU",
    "chrf": "chrF",
    "bits_per_byte": "bits per byte",
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "entity_f1": "entity F1",
    "dictionary": "each word's most frequent label",
    "majority": "always the commonest class",
    "follows_accuracy": "next-sentence accuracy",
    "exact_spans": "exact spans",
    "rebuilt": "variance rebuilt",
    "recall_at_1": "recall@1",
    "recall_at_10": "recall@10",
    "chance_at_10": "recall@10 by chance",
}
"""The figures of a validation, as they are written for people."""
