"""The page in a real browser: what it says, that it is safe, and that keys are enough to use it."""

import json
import re

import numpy as np
import pytest

from dragoman.core.errors import DataError
from dragoman.plots.attention_page import AttentionSentence, Axis, Map, draw_attention_page

END = "</s>"
HOSTILE = (
    "▁</script><script>document.title='taken'</script>",
    "▁<img/src=x/onerror=document.title='taken'>",
    "▁\"quoted'",
    "▁&amp;",
    "▁👩‍👩‍👧",
    "▁-->",
    "▁\u2028",
    "▁@DATA@",
    "▁$&",
    "▁\\u003c",
)
HEBREW = ("▁שלום", "▁עו", "לם")
HINDI = ("▁लड़", "का", "▁पढ़ता", "▁है।")
ENGLISH = ("▁The", "▁boy", "▁read", "s.")


def axis(pieces, *, before=(), after=()):
    """Give pieces, ▁ before each word, with marks before and after them."""
    every = (*before, *pieces, *after)
    marks = [place for place, piece in enumerate(every) if piece in (*before, *after)]
    begins = [piece[0] == "▁" or place in marks for place, piece in enumerate(every)]
    words = (np.cumsum(begins) - 1).tolist()
    spelled = [
        "".join(piece for piece, word in zip(every, words, strict=True) if word == number)
        for number in range(words[-1] + 1)
    ]
    texts = tuple(text.removeprefix("▁") for text in spelled)
    return Axis(every, tuple(words), texts, tuple(marks))


def weights(heads, rows, columns, seed=1):
    return np.random.default_rng(seed).dirichlet(np.full(columns, 0.4), (heads, rows))


def sentence(source=ENGLISH, target=HINDI, layers=2, heads=3):
    read, written = axis(source, after=[END]), axis(target, after=[END])
    before = axis(target, before=["<s>"])
    maps = []
    for kind, rows, columns in (
        ("across", written, read),
        ("source", read, read),
        ("target", written, before),
    ):
        size = heads, len(rows.pieces), len(columns.pieces)
        each = tuple(weights(*size, seed=layer) for layer in range(layers))
        maps.append(Map(kind, rows, columns, each))
    return AttentionSentence("".join(source).replace("▁", " "), "".join(target), tuple(maps))


@pytest.fixture
def show(browser, tmp_path):
    """Give a function that opens a page of sentences; nothing may be asked of any network."""
    opened = []

    def open_page(*sentences, title="english-hindi", width=1280, scheme="light"):
        path = tmp_path / "page.html"
        draw_attention_page(sentences, path, title)
        view = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        page = view.new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        opened.append((view, said, asked, path))
        return page

    yield open_page
    for view, said, asked, path in opened:
        view.close()
        assert said == []
        assert asked == [path.as_uri()]


def texts(page, side):
    return page.locator(f"#{side} .token").all_inner_texts()


def readout(page):
    """Return the words of the line above the map, and its number."""
    words = page.locator("#readout bdi").all_inner_texts()
    return words, float(page.locator("#readout b").inner_text())


def cells(page):
    told = page.locator("#grid td").evaluate_all("all => all.map(one => one.ariaLabel)")
    rows = page.locator("#grid tbody tr").count()
    return np.array([float(one.rpartition(": ")[2]) for one in told]).reshape(rows, -1)


def test_the_page_is_one_file_that_lets_run_only_what_was_written_for_it(tmp_path):
    path = tmp_path / "page.html"
    draw_attention_page([sentence(HOSTILE)], path, "</title><script>alert(1)</script>")
    page = path.read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//|@import|url\(", page)
    assert page.count("<script") == page.count("</script>") == 2
    assert page.count("<title>") == page.count("</title>") == 1
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert not set("<>&\u2028") & set(data)
    read = json.loads(data)
    assert tuple(read["sentences"][0]["maps"][0]["columns"]["pieces"][:-1]) == HOSTILE


def test_weights_are_written_in_thousandths(tmp_path):
    path = tmp_path / "page.html"
    one = sentence()
    draw_attention_page([one], path, "run")
    page = path.read_text(encoding="utf-8")
    (data,) = re.findall(r'id="data">(.*?)</script>', page)
    stored = np.array(json.loads(data)["sentences"][0]["maps"][0]["layers"], dtype=float) / 1000
    drawn = np.stack(one.maps[0].layers)
    assert np.abs(stored - drawn.reshape(stored.shape)).max() <= 0.0005 + 1e-9


def test_a_page_of_nothing_and_weights_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(DataError, match="no sentence to plot"):
        draw_attention_page([], tmp_path / "page.html", "run")
    side = axis(("▁a", "▁b"))
    wrong = AttentionSentence("a b", "a b", (Map("across", side, side, (weights(1, 2, 3),)),))
    with pytest.raises(DataError, match=r"\(1, 2, 3\) do not fit 2 rows and 2 columns"):
        draw_attention_page([wrong], tmp_path / "page.html", "run")
    assert not (tmp_path / "page.html").exists()


def test_whatever_a_sentence_says_it_stays_text(show):
    page = show(sentence(HOSTILE, HEBREW), title="<b>run</b> & </title>")
    assert page.title() == "<b>run</b> & </title>"
    assert page.locator("h1").inner_text().startswith("<b>run</b> & </title>")
    shown = page.locator("#columns .token").evaluate_all("all => all.map(one => one.textContent)")
    assert shown[:-1] == [piece.removeprefix("▁") for piece in HOSTILE]
    assert page.locator("img, b b, script").count() == 2  # the page's own two scripts


def test_the_last_layer_and_the_mean_of_its_heads_are_shown_first(show):
    one = sentence()
    page = show(one)
    expected = one.maps[0].layers[-1].mean(0)
    np.testing.assert_allclose(cells(page), expected, atol=0.0011)
    assert texts(page, "columns") == ["The", "boy", "read", "s.", "end"]
    assert texts(page, "rows") == ["लड़", "का", "पढ़ता", "है।", "end"]
    words, weight = readout(page)
    assert words == ["लड़", ["The", "boy", "read", "s.", "end"][expected[0].argmax()]]
    assert weight == pytest.approx(expected[0].max(), abs=0.0011)


def test_a_person_picks_the_kind_the_layer_and_the_head(show):
    one = sentence()
    page = show(one)
    page.get_by_role("radio", name="Decoder self-attention").check(force=True)
    page.locator("#layer").get_by_role("radio", name="1").check(force=True)
    page.locator("#head").get_by_role("radio", name="3").check(force=True)
    np.testing.assert_allclose(cells(page), one.maps[2].layers[0][2], atol=0.0006)
    assert texts(page, "columns")[0] == "start"
    page.get_by_role("radio", name="Encoder self-attention").check(force=True)
    np.testing.assert_allclose(cells(page), one.maps[1].layers[1].mean(0), atol=0.0011)


def test_subwords_are_merged_by_sum_and_mean(show):
    one = sentence()
    page = show(one)
    page.get_by_label("Merge subwords").check(force=True)
    assert texts(page, "columns") == ["The", "boy", "reads.", "end"]
    assert texts(page, "rows") == ["लड़का", "पढ़ता", "है।", "end"]
    pieces = one.maps[0].layers[-1].mean(0)
    summed = np.stack([pieces[:, 0], pieces[:, 1], pieces[:, 2] + pieces[:, 3], pieces[:, 4]], 1)
    by_words = np.stack([(summed[0] + summed[1]) / 2, *summed[2:]])
    np.testing.assert_allclose(cells(page), by_words, atol=0.0021)


def test_a_word_under_the_pointer_shows_what_it_attends_to(show):
    one = sentence()
    page = show(one)
    page.locator("#rows .token").nth(2).hover()
    shares = page.locator("#columns .token").evaluate_all(
        "all => all.map(one => parseFloat(one.style.getPropertyValue('--w')))"
    )
    row = one.maps[0].layers[-1].mean(0)[2]
    assert np.argsort(shares)[-1] == row.argmax()
    assert shares == pytest.approx(row**0.65, abs=0.02)
    page.locator("#columns .token").nth(1).hover()
    assert page.locator("#readout").inner_text().startswith("boy")
    assert "is attended to most by" in page.locator("#readout").inner_text()


def test_a_cell_under_the_pointer_tells_its_two_words_and_its_weight(show):
    one = sentence()
    page = show(one)
    page.locator("#grid tbody tr").nth(3).locator("td").nth(1).hover()
    words, weight = readout(page)
    assert words == ["है।", "boy"]
    assert weight == pytest.approx(one.maps[0].layers[-1].mean(0)[3, 1], abs=0.0011)


def test_arrow_keys_move_through_the_cells_and_stop_at_the_edges(show):
    page = show(sentence())
    page.locator("#grid td[tabindex='0']").focus()
    assert page.locator("#grid td[tabindex='0']").count() == 1
    for key in ("ArrowUp", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    assert readout(page)[0] == ["पढ़ता", "boy"]
    page.keyboard.press("End")
    assert readout(page)[0] == ["पढ़ता", "end"]
    page.keyboard.press("ArrowRight")
    assert readout(page)[0] == ["पढ़ता", "end"]
    page.keyboard.press("Control+Home")
    assert readout(page)[0] == ["लड़", "The"]


def test_the_tab_key_alone_reaches_everything(show):
    page = show(sentence(), sentence(HINDI, ENGLISH))
    reached = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "(e => e.id || e.name || e.parentElement.id || e.tagName)(document.activeElement)"
            )
        )
    wanted = [
        "theme",
        "sentence",
        "later",
        "kind",
        "layer",
        "head",
        "merge",
        "columns",
        "rows",
        "TD",
    ]
    assert reached == wanted


def test_words_of_right_to_left_scripts_run_from_the_right(show):
    page = show(sentence(ENGLISH, HEBREW))
    boxes = [one.bounding_box() for one in page.locator("#rows .token").all()]
    assert boxes[0]["x"] > boxes[1]["x"] > boxes[2]["x"]
    page.locator("#rows .token").first.focus()
    page.keyboard.press("ArrowLeft")
    assert readout(page)[0][0] == "עו"
    boxes = [one.bounding_box() for one in page.locator("#columns .token").all()]
    assert boxes[0]["x"] < boxes[1]["x"] < boxes[2]["x"]


def test_sentences_are_turned_over_and_each_is_drawn_anew(show):
    page = show(sentence(), sentence(HINDI, ENGLISH), sentence(layers=1, heads=1))
    page.get_by_label("Next sentence").click()
    assert texts(page, "rows") == ["The", "boy", "read", "s.", "end"]
    page.locator("#sentence").select_option("2")
    assert not page.locator("#layer").is_visible()  # nothing to choose
    assert not page.locator("#head").is_visible()
    assert page.get_by_label("Next sentence").is_disabled()


def test_one_sentence_in_whole_words_needs_neither_a_list_nor_merging(show):
    page = show(sentence(("▁a", "▁b"), ("▁c",)))
    assert not page.locator("#sentence").is_visible()
    assert not page.get_by_label("Merge subwords").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_scrolls_the_map_and_never_itself(show, scheme):
    long = tuple(f"▁word{number}" for number in range(40))
    page = show(sentence(long, HINDI, heads=8), width=375, scheme=scheme)
    sizes = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] == sizes[1] == 375
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    shade = sum(int(part) for part in re.findall(r"\d+", ground))
    assert (shade < 150) == (scheme == "dark")
    page.get_by_label("Switch between light and dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground


def contrast(one, other):
    """Return the ratio of two colours' luminances, as WCAG 2 has it."""

    def luminance(color):
        parts = np.array(color) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return bright / dim


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read_on_every_shade(show, scheme):
    side = axis(tuple(f"▁w{number}" for number in range(40)))
    ladder = np.tile(np.linspace(0, 1, 40), (1, 40, 1))
    page = show(AttentionSentence("s", "t", (Map("across", side, side, (ladder,)),)), scheme=scheme)
    shades = page.evaluate(
        """() => {
          const canvas = document.createElement("canvas").getContext(
            "2d", {alpha: false, willReadFrequently: true});
          const seen = (...colours) => {
            for (const colour of colours) {
              canvas.fillStyle = colour;
              canvas.fillRect(0, 0, 1, 1);
            }
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const sheet = getComputedStyle(document.querySelector(".words")).backgroundColor;
          return [...document.querySelectorAll("#columns .token")].map((one) => {
            const style = getComputedStyle(one);
            return [seen(sheet, style.backgroundColor), seen(style.color)];
          });
        }"""
    )
    assert len({tuple(ground) for ground, _ in shades}) > 20
    assert min(contrast(*pair) for pair in shades) >= 4.5


def test_the_family_that_reads_one_row_says_that_a_part_sums_to_less(show):
    side = axis(ENGLISH, after=[END])
    maps = [Map(kind, side, side, (weights(1, 5, 5),)) for kind in ("across", "row")]
    page = show(AttentionSentence("a", "b", tuple(maps)))
    assert "sums to less than one" in page.locator("#note").inner_text()
    page.get_by_role("radio", name="Self-attention", exact=True).check(force=True)
    assert "sums to one" in page.locator("#note").inner_text()
