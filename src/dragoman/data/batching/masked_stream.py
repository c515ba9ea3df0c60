"""An endless stream of rows with masked words, as each epoch sees them."""

from dragoman.config.batches import BatchSettings
from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import DataError
from dragoman.data.batching.endless import Endless
from dragoman.data.batching.masking import Masker, word_begins
from dragoman.data.batching.plan import EpochPlan, epoch_plan
from dragoman.data.batching.sentences import FullSentences, NextSentences, RowSource
from dragoman.data.batching.text_batch import TextBatch, make_text_batch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.special_tokens import OURS, SpecialTokens
from dragoman.data.tokenizer.tokenizer import Tokenizer


class MaskedStream(Endless[EpochPlan, TextBatch]):
    """Rows of plain text, every one exactly once per epoch, in an order fixed by the seed."""

    def __init__(self, rows: RowSource, masker: Masker, settings: BatchSettings, seed: int) -> None:
        self.rows = rows
        self.masker = masker
        self.settings = settings
        self.seed = seed

    def plan(self, epoch: int) -> EpochPlan:
        """Say which rows stand in which batch; refuse an epoch without any."""
        lengths = self.rows.lengths(epoch)
        if not len(lengths):
            raise DataError("there is no text to train on.")
        return epoch_plan(lengths, lengths, self.settings, self.seed, epoch)

    def batch(self, plan: EpochPlan, number: int, epoch: int) -> TextBatch:
        """Make one batch, with the words masked that this epoch masks."""
        examples = plan[number]
        rows = [self.masker(self.rows.row(epoch, i), epoch, i) for i in examples.tolist()]
        return make_text_batch(rows, examples, padding=self.masker.special.padding)


def masked_stream(
    task: MaskedTaskSettings,
    store: TextStore,
    tokenizer: Tokenizer,
    settings: BatchSettings,
    seed: int,
    *,
    special: SpecialTokens = OURS,
) -> MaskedStream:
    """Return the rows of a task: pairs of segments, or full sentences."""
    rows: RowSource
    if task.next_sentence:
        every_epoch = task.dynamic_masking
        rows = NextSentences(
            store, settings.max_length, seed, every_epoch=every_epoch, special=special
        )
    else:
        rows = FullSentences(store, settings.max_length, special=special)
    masker = Masker(task, tokenizer.size, seed, begins=word_begins(tokenizer), special=special)
    return MaskedStream(rows, masker, settings, seed)
