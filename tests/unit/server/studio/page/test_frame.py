"""The frame of the studio: keys, themes, places that have nothing in them."""

from pathlib import Path

import pytest
from tests.unit.server.studio.page.conftest import open_house

import dragoman.server.studio as studio
from dragoman.server.middleware.api_keys import add_key, remove_key

PAGE = Path(studio.__file__).parent / "page"
VIEWS = ("translate", "files", "generate", "images", "runs", "lab")
LIT = """() => {
  const lit = (element) => {
    const style = getComputedStyle(element);
    const lined = style.outlineStyle !== "none" && style.outlineWidth !== "0px";
    return lined || style.boxShadow !== "none";
  };
  const one = document.activeElement, name = one.outerHTML.slice(0, 80);
  // A field may leave it to the pane around it, a hidden input to the label beside it.
  const near = [one, one.nextElementSibling, one.parentElement, one.closest(".pane, .drop")];
  return [name, near.some((element) => element && lit(element))];
}"""


@pytest.mark.parametrize("place", ["#translate", "#files", "#generate", "#images", "#runs", "docs"])
def test_every_stop_of_the_tab_key_can_be_seen(walk, place):
    page = walk.go(place)
    page.wait_for_function("() => document.querySelectorAll('main *').length > 5")
    page.evaluate("document.activeElement.blur()")
    page.evaluate("scrollTo(0, 0)")
    seen = []
    for _ in range(24):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(page.evaluate(LIT))
    assert len(seen) > 5
    assert [name for name, lit in seen if not lit] == []


def test_the_first_stop_leads_past_the_navigation(walk):
    page = walk.go("#files")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url.endswith("#files")


def test_a_theme_that_was_chosen_is_remembered(walk):
    page = walk.go("#files")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    page.wait_for_selector("h1")
    assert page.evaluate(ground) == dark
    page.click("#theme")
    assert page.evaluate(ground) == light
    page.evaluate("localStorage.clear()")


def test_a_new_place_is_told_to_those_who_listen(walk):
    page = walk.go("#files")
    page.click("#nav >> text=Runs")
    page.wait_for_function("() => document.activeElement.tagName === 'H1'")
    assert page.title() == "Runs – Dragoman"
    assert page.get_attribute("#nav a[aria-current=page]", "href") == "#runs"


def test_a_view_with_nothing_to_show_says_what_to_do(walk, tmp_path):
    with open_house(tmp_path, []) as address:
        for place in VIEWS:
            page = walk.go(f"#{place}", address)
            page.wait_for_selector(".command")
            assert page.inner_text(".command code >> nth=0").startswith("dragoman ")
            assert walk.wrong() == []
        assert page.locator("#nav a").all_inner_texts() == [view.capitalize() for view in VIEWS]
        page.goto("about:blank")


def test_where_a_key_is_wanted_the_page_says_so(browser, folder, tmp_path):
    key = add_key(tmp_path / "keys", "ada")
    with open_house(folder, ["en-es"], keys=tmp_path / "keys") as address:
        context = browser.new_context(http_credentials={"username": "ada", "password": key})
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("#source-text")
        remove_key(tmp_path / "keys", "ada")
        page.fill("#source-text", "red cat")
        page.wait_for_selector(".problem")
        assert "when your browser asks" in page.inner_text(".problem")
        context.close()


def test_no_file_of_the_page_is_long_or_writes_markup():
    files = [path for path in PAGE.rglob("*") if path.suffix in (".js", ".css", ".html")]
    assert len(files) > 30
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 300, path
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), path
        for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert banned not in text, (path, banned)
