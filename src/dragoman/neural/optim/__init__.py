"""How weights move: optimisers and learning-rate schedules."""
