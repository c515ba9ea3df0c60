"""Tasks that a text explains by examples."""

from collections import Counter
from random import Random

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.everyday_tasks import WORDS, draw_everyday
from dragoman.data.corpus.generators.in_context import (
    FAMILIES,
    FRAMES,
    OPEN,
    RuleTask,
    draw_documents,
    draw_prompts,
    draw_task,
    find_family,
    write_prompt,
)


@pytest.mark.parametrize(
    ("family", "key", "answer"),
    [
        ("copy", "", "cajf"),
        ("reverse", "", "fjac"),
        ("sort", "", "acfj"),
        ("double", "", "ccaajjff"),
        ("pick", "31", "fa"),
        ("arrange", "1032", "acfj"),
        ("add", "before d", "dcajf"),
        ("add", "after d", "cajfd"),
        ("replace", "ab", "cbjf"),
        ("shift", "3", "fdci"),
        ("substitute", "bcdefghija", "dbag"),
        ("before", "pq", "pqcajf"),
        ("around", "pq", "pcajfq"),
        ("after", "pq", "cajfpq"),
    ],
)
def test_a_task_answers_by_its_rule(family, key, answer):
    assert RuleTask(family, key).answer("cajf") == answer


def test_examples_are_answered_by_the_rule_and_the_question_is_none_of_them():
    task = RuleTask("reverse", "")
    prompt = write_prompt(task, 5, Random(1))
    *shown, asked = prompt.text.split(" ; ")
    examples = [example.split(" -> ") for example in shown]
    assert len(examples) == prompt.shots == 5
    assert all(answer == question[::-1] for question, answer in examples)
    question = asked.removesuffix(" ->")
    assert prompt.answer == question[::-1]
    assert question not in [one for one, _ in examples]
    assert all(len(set(one.split())) == 4 for one, _ in examples)


def test_without_shots_there_is_only_the_question():
    (prompt,) = draw_prompts(1, shots=0, seed=1)
    assert prompt.text.count("->") == 1
    assert ";" not in prompt.text


def test_no_text_to_learn_from_shows_a_task_that_is_held_out():
    random = Random(1)
    shown = {draw_task(random) for _ in range(2000)}
    kept = {draw_task(random, held_out=True) for _ in range(2000)}
    assert shown.isdisjoint(kept)
    assert {task.family for task in shown} == set(FAMILIES)
    assert {task.family for task in kept} == set(OPEN)


@pytest.mark.parametrize("family", [*OPEN, *FRAMES])
def test_about_a_fifth_of_a_family_is_held_out(family):
    random = Random(1)
    tasks = {RuleTask(family, find_family(family).settle(random)) for _ in range(3000)}
    share = sum(task.held_out for task in tasks) / len(tasks)
    assert 0.02 < share < 0.5


def test_held_out_prompts_are_of_all_families_alike():
    found = Counter(prompt.task for prompt in draw_prompts(600, shots=1, seed=1))
    assert set(found) == set(OPEN)
    assert all(70 < count < 130 for count in found.values())


def test_documents_are_prompts_with_their_answers():
    for text in draw_documents(20, shots=3, seed=1):
        examples = [example.split(" -> ") for example in text.split(" ; ")]
        assert len(examples) == 4
        assert all(question and answer for question, answer in examples)


def test_documents_are_of_the_families_that_are_asked_for():
    texts = draw_documents(60, shots=1, seed=1, families=tuple(FRAMES))
    lengths = {len(text.split(" -> ")[0].split()) for text in texts}
    assert lengths == {2, 3, 4}  # letters of a question: one number for each family


def test_everything_follows_from_the_seed():
    assert draw_prompts(9, shots=2, seed=1) == draw_prompts(9, shots=2, seed=1)
    assert draw_prompts(9, shots=2, seed=1) != draw_prompts(9, shots=2, seed=2)
    assert draw_documents(9, shots=2, seed=1) == draw_documents(9, shots=2, seed=1)
    assert draw_everyday("sums", 5, shots=2, seed=1) == draw_everyday("sums", 5, shots=2, seed=1)


@pytest.mark.parametrize("family", ["sums", "spelling", "translation"])
def test_everyday_examples_are_right_and_do_not_give_the_answer_away(family):
    for prompt in draw_everyday(family, 40, shots=8, seed=1):
        *shown, asked = prompt.text.split("\n")
        assert len(shown) == 8
        assert not any(line.startswith(asked) for line in shown)
        if family == "sums":
            a, b = asked.removesuffix("=").split("+")
            assert prompt.answer == str(int(a) + int(b))
            assert all(eval(line.replace("=", "==")) for line in shown)
        elif family == "spelling":
            mixed = asked.removesuffix(" ->")
            assert mixed != prompt.answer
            assert (mixed[0], mixed[-1]) == (prompt.answer[0], prompt.answer[-1])
            assert sorted(mixed) == sorted(prompt.answer)
            assert not any(line.endswith(f" {prompt.answer}") for line in shown)


def test_every_word_can_be_mixed_up():
    assert len(set(WORDS)) == len(WORDS)
    assert all(len(set(word[1:-1])) > 1 for word in WORDS)


def test_what_cannot_be_is_one_line():
    with pytest.raises(DataError, match="Did you mean 'spelling'"):
        draw_everyday("speling", 1, shots=1, seed=1)
    with pytest.raises(DataError, match="have 0 to 32"):
        draw_everyday("sums", 1, shots=33, seed=1)
    with pytest.raises(DataError, match="have 0 to 1000"):
        draw_prompts(1, shots=2000, seed=1)
    with pytest.raises(DataError, match="leaves nothing open"):
        draw_prompts(1, shots=1, seed=1, family="copy")
