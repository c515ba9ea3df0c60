"""Signals that strike where a training is not on its guard: on its way out."""

import shutil
import signal
from contextlib import contextmanager

import pytest

from dragoman import trainer
from dragoman.engine.training.interruption import Interrupted, listen


@contextmanager
def struck_while_leaving():
    with listen() as interruption:
        yield interruption
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_as_a_training_leaves_its_folder_is_told_and_is_no_traceback(
    tiny, tmp_path, monkeypatch, capsys
):
    run = shutil.copytree(tiny.run, tmp_path / "run")
    monkeypatch.setattr(trainer, "listen", struck_while_leaving)
    result = trainer.train(tiny.recipe, folder=run)
    assert result.interrupted == 128 + signal.SIGTERM
    assert "stopped by SIGTERM; run the same command to resume." in capsys.readouterr().err


@pytest.mark.parametrize("strikes", [False, True])
def test_handlers_are_as_before_afterwards(strikes):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        with listen():
            if strikes:
                signal.raise_signal(signal.SIGINT)
    except Interrupted:
        assert strikes
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_signal_that_code_in_c_reports_as_an_error_of_its_own_is_still_a_signal():
    def read_tensor():
        try:
            signal.raise_signal(signal.SIGTERM)
        except Interrupted:
            raise ValueError("invalid shape") from None

    with pytest.raises(Interrupted), listen():
        read_tensor()


def test_an_error_without_a_signal_stays_what_it_is():
    with pytest.raises(ValueError, match="invalid shape"), listen():
        raise ValueError("invalid shape")
