"""The other places of the studio, in a real browser."""

import json

import pytest
from tests.unit.server.studio.page.conftest import HOSTILE


def test_a_file_comes_back_translated(walk, tmp_path):
    page = walk.go("#files")
    text = "red cat\nblue sea\n"
    page.set_input_files(
        "input[type=file]", {"name": "notes.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    page.wait_for_selector("a[download]")
    with page.expect_download() as coming:
        page.click("a[download]")
    coming.value.save_as(tmp_path / "back.txt")
    back = (tmp_path / "back.txt").read_text(encoding="utf-8")
    assert len(back.splitlines()) == 2
    assert back != text
    broken = {"name": "broken.docx", "mimeType": "text/plain", "buffer": b"no archive"}
    page.set_input_files("input[type=file]", broken)
    page.wait_for_selector(".problem")
    assert page.inner_text(".problem .id").startswith("Request ")
    assert walk.wrong() == []


def test_a_language_model_continues_a_prompt_and_shows_the_alternatives_of_a_token(walk):
    page = walk.go("#generate")
    page.fill("#prompt", "one two")
    page.click(".button.first")
    page.wait_for_selector(".tokens .token")
    page.wait_for_function("() => !document.querySelector('.paper').classList.contains('busy')")
    assert page.inner_text(".tokens").startswith("one two")
    page.focus(".token[tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".token-alternatives .bars li >> nth=2")
    shares = page.locator(".token-alternatives li").evaluate_all(
        "all => all.map(one => Number(one.style.getPropertyValue('--share')))"
    )
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.001
    assert "before temperature and top-p" in page.inner_text(".token-alternatives")
    assert walk.wrong() == []
    before = page.inner_text(".tokens")
    page.click(".token-alternatives .text-button >> nth=0")
    page.wait_for_function(
        "text => document.querySelector('.tokens').innerText !== text", arg=before
    )
    page.wait_for_function("() => !document.querySelector('.paper').classList.contains('busy')")


def test_images_are_found_by_captions_and_captions_by_images(walk):
    page = walk.go("#images")
    page.fill("input[type=search]", "red cross")
    page.wait_for_selector(".images img")
    assert walk.wrong() == []
    source = page.get_attribute(".images img >> nth=0", "src")
    picture = page.request.get(walk.address + source).body()
    sent = {"name": "a.png", "mimeType": "image/png", "buffer": picture}
    page.focus("[role=tab][aria-selected=true]")
    page.keyboard.press("ArrowRight")
    page.set_input_files("input[type=file]", sent)
    page.wait_for_selector(".beside .bars li")
    assert walk.wrong() == []
    page.click("role=tab[name='Classify image']")
    page.set_input_files("input[type=file]", sent)
    page.wait_for_selector(".verdict")
    page.click("role=tab[name='Classify text']")
    page.fill("main textarea", "bird sky")
    page.wait_for_selector(".verdict")
    assert page.inner_text(".verdict") in ("animal", "food", "tool")


def test_a_training_is_watched_while_it_goes_on(walk, training):
    page = walk.go("#runs")
    page.wait_for_selector("tr:has-text('live') .dot.live")
    assert walk.wrong() == []
    page = walk.go("#runs/live")
    page.wait_for_selector(".plot .main-svg")
    assert page.inner_text(".chip") == "training"
    steps = page.inner_text(".figures dd >> nth=0")
    row = {"kind": "train", "step": 33, "loss": 0.875, "tokens_per_second": 10.0}
    with (training / "metrics.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(row) + "\n")
    page.wait_for_function(
        "old => document.querySelector('.figures dd').innerText !== old", arg=steps
    )
    assert page.inner_text(".figures dd >> nth=0").startswith("33")
    assert "0.875" in page.inner_text(".legend >> nth=0")
    assert page.locator(".prose img").count() == 0
    assert HOSTILE in page.inner_text(".prose")
    assert walk.wrong() == []


def test_a_finished_run_shows_all_it_has(walk):
    page = walk.go("#runs/en-es")
    page.wait_for_selector(".plot .main-svg")
    assert page.inner_text(".chip") == "finished"
    assert page.locator(".samples li").count() > 0
    assert page.locator(".prose table").count() >= 0
    assert page.locator(".block h2").all_inner_texts()[:2] == ["Curves", "Samples"]
    page.click("summary:has-text('Recipe')")
    assert "[training]" in page.inner_text("pre.code")
    assert walk.wrong() == []


def test_an_experiment_shows_its_verdicts_and_tables(walk):
    page = walk.go("#lab")
    page.wait_for_selector(".experiments li")
    assert page.inner_text(".experiments .chip") == "1 confirmed"
    assert walk.wrong() == []
    page.click(".experiments a")
    page.wait_for_selector(".claims")
    assert HOSTILE in page.inner_text("h1")
    assert page.locator(".prose td").nth(1).inner_text() == "71.2"
    assert page.locator(".prose td").nth(2).inner_text() == HOSTILE
    assert page.inner_text(".prose td em") == "gru"
    assert page.locator("main img").count() == 0
    assert "What became" not in page.inner_text(".prose")
    assert walk.wrong() == []


def test_the_course_is_read_from_its_topics_to_a_claim(walk):
    page = walk.go("#lab")
    page.wait_for_selector(".topics li")
    assert walk.wrong() == []
    page.click(".topics a")
    page.wait_for_selector(".claim")
    assert page.inner_text("h1") == page.title().removesuffix(" – Dragoman")
    space = page.eval_on_selector("math", "one => one.namespaceURI")
    assert space == "http://www.w3.org/1998/Math/MathML"
    assert page.locator(".claim .evidence").count() > 0
    assert walk.wrong() == []
    page.click(".claim:last-of-type h3 a")
    page.wait_for_selector(".claim.target")
    assert page.evaluate("location.hash").endswith(page.get_attribute(".claim.target", "id"))


@pytest.mark.parametrize("place", ["lab/page/errata", "lab/page/claims"])
def test_the_lists_of_claims_are_whole_pages(walk, place):
    page = walk.go(f"#{place}")
    page.wait_for_selector(".lab")
    assert page.locator(".lab script, .lab img").count() == 0
    assert walk.wrong() == []


@pytest.mark.parametrize("place", ["runs/nobody", "lab/nobody", "lab/topic/nobody"])
def test_what_is_not_there_is_told(walk, place):
    page = walk.go("#files")
    page.evaluate(f"location.hash = '{place}'")
    page.wait_for_selector(".problem")
    assert "There is no" in page.inner_text(".problem")


def test_the_interface_is_described_without_help_from_elsewhere(walk):
    page = walk.go("docs")
    page.wait_for_selector(".route")
    told = page.evaluate("async () => (await (await fetch('/openapi.json')).json()).paths")
    routes = sum(len(methods) for methods in told.values())
    assert page.locator(".route").count() == routes
    command = page.inner_text("#post-translate pre")
    assert '"q":' in command
    assert walk.wrong() == []
