"""What preparation says about a corpus."""

from dragoman.config.tokenizer import WordTokenizer
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.engine.training.preparation import unknown_words


def test_unknown_words_are_counted_and_advice_given_where_they_are_many():
    seen = [Pair("sun moon", "moon sun")] * 30
    tokenizer = train_tokenizer(WordTokenizer(), seen)
    assert unknown_words(tokenizer, seen) == []
    few = unknown_words(tokenizer, [*seen, Pair("comet moon", "moon sun")])
    assert few == ["1.6% of the source tokens in the validation set are unknown"]
    many = unknown_words(tokenizer, [Pair("comet star", "moon sun")])
    assert "100.0% of the source tokens" in many[0]
    assert "tokenizer.kind = 'bpe'" in many[0]
