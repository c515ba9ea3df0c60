"""A server that stops answering, as the page of the studio tells it."""

import pytest

SENTENCE = "red cat sees sun"


def test_the_last_translation_outlives_the_server_and_the_next_comes_by_itself(walk):
    page = walk.translated(SENTENCE)
    before = page.inner_text(".output-text")
    page.context.set_offline(True)
    page.fill("#source-text", "red fish")
    page.wait_for_selector("#gone:not([hidden])")
    told = page.inner_text("#gone")
    assert told.startswith("The server does not answer. Start it again with dragoman serve;")
    assert "what you typed and the last translation are kept" in told
    assert page.inner_text(".output-text") == before
    assert page.input_value("#source-text") == "red fish"
    assert "earlier text" in page.inner_text(".output .about")
    assert page.locator(".problem").count() == 0
    assert walk.wrong() == []
    page.hover(".output-text .word >> nth=0")  # it is not of this text, so nothing goes with it
    assert page.locator(".source-word").count() == 0
    page.context.set_offline(False)
    page.click("#gone button")
    page.wait_for_selector("#gone", state="hidden")
    page.wait_for_function("() => document.querySelectorAll('.source-word').length === 2")
    assert "earlier text" not in page.inner_text(".output .about")


@pytest.mark.parametrize("place", ["Runs", "Lab"])
def test_a_view_opens_without_a_server_and_fills_itself_when_it_is_back(walk, place):
    page = walk.go("#translate")
    page.context.set_offline(True)
    page.click(f"#nav >> text={place}")
    page.wait_for_selector(f"h1:has-text('{place}')")
    page.wait_for_selector(".problem")
    assert page.inner_text(".problem > div") == "The server does not answer."
    assert "dragoman serve" in page.inner_text("#gone")
    assert walk.wrong() == []
    page.context.set_offline(False)
    page.click("#gone button")
    page.wait_for_selector(".problem", state="detached")
    page.wait_for_selector("main .sheet")


def test_a_list_of_runs_stays_while_the_server_is_away(walk):
    page = walk.go("#runs")
    page.wait_for_selector(".runs tbody tr")
    page.route("**/studio/api/runs", lambda route: route.abort())
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # asks anew
    page.wait_for_selector("#gone:not([hidden])")
    assert page.locator(".runs tbody tr").count() > 0
    page.unroute("**/studio/api/runs")
    page.click("#gone button")
    page.wait_for_selector("#gone", state="hidden")
