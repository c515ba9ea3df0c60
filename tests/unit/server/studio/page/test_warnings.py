"""What a translator was not trained for, told under its translation."""

LANGUAGE = "looks like Arabic, where the model reads English"
UNKNOWN = [f"{count} of 9 words are unknown" for count in range(5, 10)]


def warned(page, warnings):
    """Have the server's answers to the page hold warnings."""

    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "warnings": warnings})

    page.route("**/studio/api/translate", answer)


def test_a_warning_of_each_kind_stands_under_the_translation_until_the_text_changes(walk):
    page = walk.go("#translate")
    one = {"kind": "language", "text": LANGUAGE}
    warned(page, [one, *({"kind": "domain", "text": each} for each in UNKNOWN), one])
    page.fill("#source-text", "red cat <b>")
    page.wait_for_selector(".word")
    assert page.locator(".output [role=status] > *").all_inner_texts() == [
        f"Another language: {LANGUAGE}",
        f"Unlike the training text: {'; '.join(UNKNOWN[:3])}; and 2 more",
    ]
    text, notice = (
        page.locator(place).bounding_box() for place in (".output-text", ".output [role=status]")
    )
    assert notice["y"] >= text["y"] + text["height"]
    assert walk.wrong() == []
    page.unroute_all()
    page.route("**/studio/api/translate", lambda route: None)  # an answer that never comes
    page.fill("#source-text", "red cat")
    assert page.locator(".output [role=status] > *").count() == 0


def test_an_answer_without_warnings_shows_none(walk):
    page = walk.go("#translate")
    for warnings in (None, []):
        warned(page, warnings)
        page.fill("#source-text", f"red cat {warnings}")
        page.wait_for_function("() => document.querySelectorAll('.source-word').length === 3")
        page.unroute_all()
        assert page.locator(".output [role=status]").inner_text() == ""


def test_what_a_warning_says_stays_text(walk):
    page = walk.go("#translate")
    warned(page, [{"kind": "script", "text": "<b>Devanagari</b>"}])
    page.fill("#source-text", "red cat")
    page.wait_for_selector(".output [role=status] > *")
    assert page.inner_text(".output [role=status]") == "Another script: <b>Devanagari</b>"


def test_text_in_a_script_that_the_model_does_not_read_is_told(walk):
    page = walk.translated("где река и город")
    page.wait_for_selector(".output [role=status] > *")
    assert "Another script: is written in Cyrillic" in page.inner_text(".output [role=status]")
    page.fill("#source-text", "red cat")
    page.wait_for_function("() => document.querySelectorAll('.source-word').length === 2")
    assert page.inner_text(".output [role=status]") == ""
