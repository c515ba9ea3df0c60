"""What a training dies of in tests."""


class PowerCutError(Exception):
    """What no part of the program expects."""
