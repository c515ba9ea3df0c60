"""Hold the code to its budget: lines per file and per function.

python tests/architecture/sizes.py            says what is too large, and fails if anything is
python tests/architecture/sizes.py --chart    lines per folder, as a bar chart
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "dragoman"
FILE, FUNCTION = (300, 400), (60, 80)  # lines: much, and too much
WIDTH = 50

Found = tuple[str, int, tuple[int, int]]


def sizes(source: Path = SOURCE) -> Iterator[Found]:
    """Yield each file and function with its lines and its limits."""
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(source.parent))
        yield name, len(text.splitlines()), FILE
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                yield f"{name}:{node.lineno} {node.name}", lines, FUNCTION


def too_large(found: Iterator[Found]) -> bool:
    """Print what is large; say whether anything is too large."""
    failed = False
    for name, lines, (much, most) in found:
        if lines > much:
            failed |= lines > most
            print(f"{'TOO LARGE' if lines > most else 'large'}: {name}: {lines} lines")
    return failed


def chart(source: Path = SOURCE) -> None:
    """Print the lines of each folder as bars."""
    lines: Counter[str] = Counter()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).parts[:-1]
        lines["/".join(parts[:2]) or "."] += len(path.read_text(encoding="utf-8").splitlines())
    longest = max(lines.values())
    for folder, count in sorted(lines.items()):
        print(f"{folder:<24} {count:>6}  {'█' * max(1, round(WIDTH * count / longest))}")
    print(f"{'all':<24} {sum(lines.values()):>6}")


if __name__ == "__main__":
    if "--chart" in sys.argv:
        chart()
    else:
        sys.exit(too_large(sizes()))
