"""The site in a real browser: readable wide and narrow, light and dark, by keys and on paper."""

from pathlib import Path

import pytest

from dragoman.lab.catalogue import topics
from dragoman.lab.claims import ExactClaim
from dragoman.lab.records import record_of
from dragoman.lab.site.writer import build_report

CHECKS = Path(__file__).parents[2] / "server" / "studio" / "page" / "accessibility.js"
TOPIC = next(iter(topics().values()))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    exact = [one for one in TOPIC.claims if isinstance(one, ExactClaim)]
    records = {
        one.id: record_of(one, one.parameters(), one.check(one.parameters()), 0.1) for one in exact
    }
    return build_report(tmp_path_factory.mktemp("site"), records).parent


@pytest.fixture
def page(browser):
    errors = []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text))
    page.on("request", lambda one: None if one.url.startswith("file:") else errors.append(one.url))
    yield page
    page.close()
    assert errors == []


@pytest.mark.parametrize("name", ["index.html", f"{TOPIC.name}.html", "errata.html", "ids.html"])
def test_a_page_has_nothing_wrong(page, site, name):
    page.goto((site / name).as_uri())
    for width in (1280, 375):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(CHECKS.read_text("utf-8")) == [], (width, scheme)


def test_the_theme_is_switched_and_paper_stays_white(page, site):
    page.emulate_media(color_scheme="light")
    page.goto((site / "index.html").as_uri())
    ground = "getComputedStyle(document.body).getPropertyValue('--paper')"
    light = page.evaluate(ground)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#theme")
    page.keyboard.press("Enter")
    assert page.evaluate(ground) != light
    page.emulate_media(media="print")
    assert page.evaluate(ground) == light
    assert not page.is_visible(".top")
