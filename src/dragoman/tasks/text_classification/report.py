"""The model card of a classifier of texts."""

from dragoman.config.recipe import Recipe
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.card import CardReport
from dragoman.tasks.common.classes_report import classes_purpose, classes_table


def _purpose(folder: RunFolder, recipe: Recipe) -> tuple[str, list[str]]:
    sets = load_held_out_labeled(folder.data)
    return classes_purpose(recipe.task.unit, sets.classes), sets.findings


REPORT = CardReport(_purpose, classes_table)
