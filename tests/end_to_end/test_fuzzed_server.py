"""S7: whatever is asked of the server, it is never at a loss."""

from collections import Counter
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from tests.served import served
from tests.translated_runs import in_languages

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan

MODES = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
CASES = 60
"""For each of the routes."""


@pytest.mark.slow
def test_a_thousand_made_up_requests_meet_no_error_of_ours(tiny, tmp_path):
    run = in_languages(tiny.run, tmp_path / "runs" / "en-es", "en", "es")
    statuses = fuzzed(run, tmp_path)
    assert statuses.total() >= 1000
    assert [status for status in statuses if status >= 500] == []
    assert {200, 400, 404, 422} <= set(statuses)


def fuzzed(run: Path, folder: Path) -> Counter[int]:
    statuses: Counter[int] = Counter()
    (folder / "scratch").mkdir()
    plan = ServerPlan(
        ServingSettings(), (run,), folder / "scratch", run.parent, folder / "lab", threads=1
    )
    with served(create_app(plan)) as server:
        schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
        for found in schema.get_all_operations():
            operation = found.ok()
            fitting, wrong = (operation.as_strategy(generation_mode=mode) for mode in MODES)

            @given(case=fitting | wrong)
            @settings(
                max_examples=CASES,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def ask(case: schemathesis.Case) -> None:
                statuses[case.call(base_url=server.url, timeout=60).status_code] += 1

            ask()
    return statuses
