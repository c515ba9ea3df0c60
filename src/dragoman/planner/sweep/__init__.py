"""The isoFLOP sweep: model sizes × compute budgets × seeds as resumable trials of one recipe."""
