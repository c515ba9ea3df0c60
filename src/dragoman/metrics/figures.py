"""The figures of a validation by name, as they are written for people."""

FIGURES = {
    "bleu": "BLEU",
    "chrf": "chrF",
    "bleu_all_references": "BLEU by all references",
    "chrf_all_references": "chrF by all references",
    "bits_per_byte": "bits per byte",
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "entity_f1": "entity F1",
    "dictionary": "most frequent label of each word",
    "majority": "majority baseline",
    "follows_accuracy": "next-sentence accuracy",
    "exact_spans": "exact spans",
    "rebuilt": "explained variance",
    "recall_at_1": "recall@1",
    "recall_at_10": "recall@10",
    "chance_at_10": "recall@10 at random",
}
"""The figures of a validation, as they are written for people."""
