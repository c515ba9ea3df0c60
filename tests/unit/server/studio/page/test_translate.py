"""The translator of the studio, in a real browser."""

import pytest

SENTENCE = "red cat sees sun"


def weights(page, selector):
    """Return how strongly each word is tinted."""
    script = "all => all.map(one => Number(one.style.getPropertyValue('--w')))"
    return page.locator(selector).evaluate_all(script)


def test_typing_gives_a_translation_without_a_button(walk):
    page = walk.go("#translate")
    page.locator("#source-text").press_sequentially("red cat sea")
    page.wait_for_selector(".word")
    words = page.locator(".output-text .word").all_inner_texts()
    assert words
    asked = page.evaluate(
        """async () => {
          const body = JSON.stringify({ run: "en-es", text: "red cat sea", alternatives: 0 });
          const headers = { "Content-Type": "application/json" };
          const answer = await fetch("/studio/api/translate", { method: "POST", headers, body });
          return (await answer.json()).text;
        }"""
    )
    assert page.inner_text(".output-text") == asked
    assert page.inner_text("#live") == asked
    assert page.get_attribute(".output-text", "lang") == "es"
    page.click("[aria-label='Clear the text']")
    page.wait_for_selector(".word", state="detached")
    assert page.evaluate("document.activeElement.id") == "source-text"


def test_only_the_latest_question_is_answered(walk):
    page = walk.go("#translate")
    slow = "**/studio/api/translate"

    def late(route):
        if "first" in (route.request.post_data or ""):
            page.wait_for_timeout(800)
        route.continue_()

    page.route(slow, late)
    page.fill("#source-text", "first song")
    page.wait_for_timeout(300)
    page.fill("#source-text", "blue moon")
    page.wait_for_selector(".word")
    shown = page.inner_text(".output-text")
    page.wait_for_timeout(900)
    assert page.inner_text(".output-text") == shown
    page.unroute(slow)


def test_pointing_at_a_word_tints_the_words_it_goes_with(walk):
    page = walk.translated(SENTENCE)
    page.hover(".output-text .word >> nth=0")
    tinted = "one => one.style.getPropertyValue('--w') > 0.1"
    page.wait_for_function(f"() => [...document.querySelectorAll('.source-word')].some({tinted})")
    assert len(weights(page, ".source-word")) == 4
    assert "chosen" in page.get_attribute(".output-text .word >> nth=0", "class")
    assert "attends most to" in page.inner_text(".inspector > .readout")
    box = page.locator(".source-word >> nth=1").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => document.querySelector('.readout').textContent.includes('by')")
    assert max(weights(page, ".output-text .word")) > 0.1
    page.mouse.move(5, 800)
    page.wait_for_function("() => !document.querySelector('.inspector > .readout').textContent")
    assert max(weights(page, ".output-text .word")) == 0


@pytest.mark.parametrize("width", [1280, 375])
def test_a_long_text_scrolls_as_one_with_its_highlights(walk, width):
    lines = ["Red cat sees sun.", "Blue fish hears old moon."] * 20
    page = walk.go("#translate")
    page.set_viewport_size({"width": width, "height": 800})
    page.fill("#source-text", "\n".join(lines))
    page.wait_for_function("() => document.querySelectorAll('.source-word').length === 180")
    field = page.locator(".field-over-mirror").bounding_box()
    for turn, number in ((-9000, 1), (9000, 178)):  # the first line and the last
        page.mouse.move(field["x"] + field["width"] / 2, field["y"] + 60)
        page.mouse.wheel(0, turn)
        word = page.locator(f".source-word >> nth={number}")
        page.wait_for_function(
            "([number, top, bottom]) => { const box = document.querySelectorAll('.source-word')"
            "[number].getBoundingClientRect(); return box.top >= top && box.bottom <= bottom; }",
            arg=[number, field["y"], field["y"] + field["height"]],
        )
        box = word.bounding_box()
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.move(*middle)
        page.wait_for_selector(f".source-word.chosen:text-is('{word.inner_text()}')")
        assert "chosen" in word.get_attribute("class")
        assert page.inner_text(".readout bdi >> nth=0") == word.inner_text()
        page.mouse.click(*middle)  # where the caret goes is where the field itself has the word
        begin = int(word.get_attribute("data-begin"))
        caret = page.evaluate("document.activeElement.selectionStart")
        assert begin <= caret <= begin + len(word.inner_text())


def test_words_are_walked_by_keys(walk):
    page = walk.translated(SENTENCE)
    page.focus(".output-text .word >> nth=0")
    stops = page.locator(".output-text .word[tabindex='0']")
    assert stops.count() == 1
    page.keyboard.press("End")
    last = page.evaluate("document.activeElement.dataset.word")
    assert int(last) == page.locator(".output-text .word").count() - 1
    page.wait_for_selector(".word.chosen")
    page.keyboard.press("Escape")
    page.wait_for_selector(".word.chosen", state="detached")
    page.focus("#source-text")
    page.keyboard.press("Home")
    page.wait_for_selector(".source-word.chosen")


def test_the_head_that_is_chosen_is_the_one_that_is_shown(walk):
    page = walk.translated(SENTENCE)
    page.click(".inspector >> text=Attention")
    page.wait_for_selector(".heat")
    shades = "all => all.map(one => one.getAttribute('aria-label'))"
    mean = page.locator(".heat tbody td").evaluate_all(shades)
    page.locator("[role=radiogroup]:has-text('Head') input[value='1']").check()
    page.wait_for_function(
        "before => document.querySelector('.heat tbody td').ariaLabel !== before", arg=mean[0]
    )
    first = page.locator(".heat tbody td").evaluate_all(shades)
    assert len(first) == len(mean)
    assert first != mean
    page.focus(".heat td[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    place = "[document.activeElement.dataset.row, document.activeElement.dataset.column]"
    assert page.evaluate(place) == ["1", "1"]
    assert walk.wrong() == []
    page.keyboard.press("Escape")
    page.wait_for_selector(".heat", state="detached")


def test_the_beam_is_a_tree_and_a_list(walk):
    page = walk.translated(SENTENCE)
    page.click(".inspector >> text=Beam")
    page.locator("[role=radiogroup]:has-text('Beam size') input[value='2']").check()
    page.wait_for_function("() => !document.querySelector('.inspector-body.working')")
    tokens = page.locator(".beam .node.best .token").all_text_contents()
    assert "".join(tokens[:-1]) == page.inner_text(".output-text").replace(" ", "")
    assert tokens[-1] == "end"
    page.focus(".beam .node[tabindex='0']")
    page.keyboard.press("ArrowRight")
    assert "best" in page.evaluate("document.activeElement.getAttribute('class')")
    page.locator(".beam-list summary").click()
    assert page.locator(".beam-list li").count() == page.locator(".beam .node").count()
    assert "made of the best path" not in page.inner_text(".beam-panel")
    assert walk.wrong() == []


def test_a_beam_that_is_not_what_is_shown_says_so(walk):
    page = walk.translated(SENTENCE.upper())  # the pipeline gives the translation its capitals
    assert page.inner_text(".output-text").isupper()
    page.click(".inspector >> text=Beam")
    page.wait_for_selector(".beam-panel")
    assert "made of the best path" in page.inner_text(".beam-panel")


def test_an_alternative_can_be_taken(walk):
    page = walk.translated(SENTENCE)
    page.click(".inspector >> text=Alternatives")
    page.wait_for_selector(".alternatives li")
    other = page.inner_text(".alternatives .alternative >> nth=0")
    assert page.locator(".alternatives .differs").count() > 0
    assert walk.wrong() == []
    page.click(".alternatives .text-button >> nth=0")
    page.wait_for_function(
        "text => document.querySelector('.output-text').innerText === text", arg=other
    )


def test_two_runs_stand_side_by_side_and_differences_are_marked(walk):
    page = walk.translated(SENTENCE)
    page.click("[aria-label='Compare with another run']")
    page.wait_for_selector(".panes.compared")
    both = page.locator(".output-text").all_inner_texts()
    assert both[0] != both[1]
    assert page.locator(".word.differs").count() > 0
    assert walk.wrong() == []
    second = "[aria-label='Run of second translation']"
    assert page.input_value(second) == "earlier"
    page.select_option(second, "en-es")
    page.wait_for_selector(".word.differs", state="detached")
    assert len(set(page.locator(".output-text").all_inner_texts())) == 1
    page.click("[aria-label='Close this column']")
    assert page.locator(".output-text").count() == 1


def test_the_run_can_be_switched_and_the_languages_swapped(walk):
    page = walk.translated(SENTENCE)
    before = page.inner_text(".output-text")
    page.select_option("[aria-label='Run of translation']", "earlier")
    page.wait_for_function(
        "text => document.querySelector('.output-text').innerText !== text", arg=before
    )
    now = page.inner_text(".output-text")
    page.click("[aria-label='Swap languages']")
    page.wait_for_function("() => document.querySelector('.output-text').lang === 'en'")
    assert page.input_value("#source-text") == now.strip()
    page.click("[aria-label='Swap languages']")
    page.select_option("[aria-label='Run of translation']", "en-es")


def test_text_of_strangers_stays_text(walk):
    text = "red <img src=x onerror=alert(1)> sea <b>cat</b>"
    page = walk.translated(text)
    assert "<img src=x onerror=alert(1)>" in page.inner_text(".output-text")
    assert page.inner_text(".mirror").rstrip("\u200b") == text
    page.fill("#source-text", "red <b>cat")
    page.wait_for_function("() => document.querySelectorAll('.source-word').length === 2")
    page.click(".inspector >> text=Attention")
    page.wait_for_selector(".heat")
    assert "<b>cat" in page.locator(".heat thead th").all_inner_texts()
    assert page.locator("main img, main b").count() == 0


def test_a_refusal_is_told_with_its_number(walk):
    page = walk.translated(SENTENCE)
    page.fill("#source-text", "red cat " * 2000)
    page.wait_for_selector(".problem")
    assert "The text is too long" in page.inner_text(".problem")
    assert page.inner_text(".problem .id").startswith("Request ")
    assert page.locator(".word").count() == 0
    assert walk.wrong() == []
