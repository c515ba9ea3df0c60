"""Seeds, as they are typed: 1,2,3."""

from dragoman.core.errors import ConfigError

LARGEST = 2**32 - 1


def seeds_of(text: str) -> list[int]:
    """Return the seeds of `--seeds`; refuse what is no seed, and one that stands there twice."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) <= LARGEST for part in parts):
        raise ConfigError(
            f"--seeds {text}: are not seeds. Write whole numbers up to {LARGEST}, as in 1,2,3."
        )
    seeds = [int(part) for part in parts]
    if len(set(seeds)) < len(seeds):
        raise ConfigError(f"--seeds {text}: names a seed twice; the runs would be the same.")
    return seeds
