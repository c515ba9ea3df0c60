"""The report as a site: whole, valid, without a need of anything else, all of it escaped."""

import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urldefrag
from xml.etree import ElementTree

import pytest
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.catalogue import topics
from dragoman.lab.claims import ExactClaim, claim, measured
from dragoman.lab.evidence import Evidence, at_most, equal
from dragoman.lab.records import ClaimRecord, ExperimentFinding, record_of
from dragoman.lab.site.contents import id_order
from dragoman.lab.site.writer import build_report, write_site
from dragoman.lab.topic import Section, Topic
from dragoman.plots.lab import Bars, HeatMap, Panel, curve

VOID = {"meta", "link", "br", "hr", "img", "input"}
HOSTILE = "<img src=x onerror=\"alert('1')\"></script><b>&amp;"


class Page(HTMLParser):
    """A parser that notes ids and links, and refuses elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.tags, self.open, self.loaded = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert len(given) == len(attributes), tag
        self.tags.append((tag, given))
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.loaded += [
            given[name] for name in ("src", "srcset", "data", "action") if name in given
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


class HostileSettings(Settings):
    window: int = Field(default=3, ge=1, le=9)
    """How <b>wide</b> it is."""
    seed: int = Field(default=1, ge=0)
    """Seed."""


@claim("Z1", f"True: $x^2$ {HOSTILE}", r"x = \text{<script>}", notes=f"it is {HOSTILE}.")
def hostile_check(settings: HostileSettings) -> Evidence:
    """Have hostile text everywhere."""
    return Evidence(
        stated=[at_most(HOSTILE, 2.0, 1.0)],
        corrected=[equal(HOSTILE, 1.0, 1.0), equal("shared", 1.0, 1.0)],
        numbers={HOSTILE: HOSTILE, "endless": float("inf")},
        plot=[
            Panel(HOSTILE, [curve(HOSTILE, [1, 2], [1, float("nan")])], HOSTILE),
            Bars(HOSTILE, [HOSTILE], [[1.0]], baseline=0.5, baseline_label=HOSTILE),
            HeatMap(HOSTILE, [[1.0]], HOSTILE, HOSTILE, columns=[HOSTILE], rows=[HOSTILE]),
        ],
    )


MEASURED = measured("Z2", "Measured.", experiment="memory")
HOSTILE_TOPIC = Topic(
    "K99", "hostile", f"On {HOSTILE}", f"First. Then *{HOSTILE}* and `{HOSTILE}`.",
    [Section(f"Of {HOSTILE}", f"{HOSTILE}\n\nTwo.", [hostile_check, MEASURED])],
)  # fmt: skip


def run(one: ExactClaim) -> ClaimRecord:
    settings = one.parameters()
    return record_of(one, settings, one.check(settings), 0.1)


@pytest.fixture(scope="module")
def records():
    """Give records of some claims of each topic, so that this takes moments."""
    found = {}
    for topic in topics().values():
        exact = [one for one in topic.claims if isinstance(one, ExactClaim)]
        found |= {one.id: run(one) for one in exact[:3]}
    return found


@pytest.fixture(scope="module")
def site(records, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "lab" / "site"
    index = build_report(folder, records)
    texts = {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}
    pages = {name: Page(text) for name, text in texts.items()}
    return SimpleNamespace(index=index, folder=folder, texts=texts, pages=pages)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    record = run(hostile_check)
    found = {"Z1": record.model_copy(update={"parameters": {"window": HOSTILE, "seed": 1}})}
    finding = ExperimentFinding(experiment=HOSTILE, size=HOSTILE, seeds=(1, 2), because=HOSTILE)
    found["Z2"] = record.model_copy(
        update={"id": "Z2", "criteria": (), "numbers": {}, "plot": (), "finding": finding}
    )
    write_site(folder, [HOSTILE_TOPIC], found)
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_the_site_has_a_page_for_each_topic_and_three_more(site):
    names = {f"{topic.name}.html" for topic in topics().values()}
    assert set(site.texts) == names | {"index.html", "errata.html", "ids.html"}
    assert site.index == site.folder / "index.html"


def test_every_page_is_valid_and_has_each_id_once(site):
    for name, page in site.pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        tags = [tag for tag, _ in page.tags]
        assert [tags.count(tag) for tag in ("h1", "main", "header")] == [1, 1, 1], name
        assert site.texts[name].startswith("<!doctype html>\n")


def test_every_link_leads_to_a_place_of_the_site(site):
    for name, page in site.pages.items():
        for link in page.links:
            file, place = urldefrag(link)
            target = site.pages[file or name]
            assert not place or place in target.ids, (name, link)


def test_nothing_is_loaded_from_anywhere(site):
    for name, page in site.pages.items():
        assert page.loaded == [], name
        assert not any(tag in ("link", "img", "iframe", "object", "base") for tag, _ in page.tags)
        addresses = set(re.findall(r"https?://[^\s\"'<]+", site.texts[name]))
        assert addresses <= {"http://www.w3.org/1998/Math/MathML"}, name
        assert not re.search(r"@import|url\(", site.texts[name]), name
        policy = next(given["content"] for _, given in page.tags if "http-equiv" in given)
        assert policy.startswith("default-src 'none'; ")


def test_headings_leave_out_no_level(site):
    for name, page in site.pages.items():
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
        steps = zip(levels, levels[1:], strict=False)
        assert all(later <= earlier + 1 for earlier, later in steps), name


def test_formulas_and_plots_are_well_formed(site):
    kinds = (r"<math.*?</math>", r'<figure class="charts">.*?</figure>')
    counts = dict.fromkeys(kinds, 0)
    for name, text in site.texts.items():
        for kind in kinds:
            for element in re.findall(kind, text, flags=re.DOTALL):
                ElementTree.fromstring(element)
                counts[kind] += 1
        assert "\\frac" not in re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL), name
    assert counts[kinds[0]]


def test_every_claim_has_its_anchor_and_says_whether_it_was_run(site, records):
    for topic in topics().values():
        text, page = site.texts[f"{topic.name}.html"], site.pages[f"{topic.name}.html"]
        assert {one.id for one in topic.claims} <= set(page.ids)
        assert text.count(">not run</span>") == sum(one.id not in records for one in topic.claims)


def test_the_errata_are_the_claims_with_notes(site):
    wrong = {one.id for topic in topics().values() for one in topic.claims if one.notes}
    shown = {one for one in site.pages["errata.html"].ids if one in wrong}
    assert shown == wrong
    assert site.texts["errata.html"].count("<article") == len(wrong)


def test_no_path_of_the_machine_is_told(site):
    machine = {str(Path.home()), str(Path(__file__).parents[4]), str(site.folder)} - {"/"}
    for name, text in site.texts.items():
        assert not [path for path in machine if path in text], name
    assert "src/dragoman/lab/topics/" in "".join(site.texts.values())


def test_hostile_text_stays_text(hostile):
    for name, text in hostile.items():
        page = Page(text)
        tags = {tag for tag, _ in page.tags}
        assert not tags & {"img", "b"}, name
        assert not any(key.startswith("on") for _, given in page.tags for key in given), name
        assert [tag for tag, _ in page.tags].count("script") == 1, name
    assert "onerror=&quot;alert(&#x27;1&#x27;)&quot;" in hostile["hostile.html"]


def test_a_claim_shows_its_command_its_parameters_and_its_source(hostile):
    text = hostile["hostile.html"]
    assert "<code>dragoman lab run Z1 --window 3</code>" in text
    assert "<code>dragoman lab run memory --full</code>" in text
    assert "<td>3</td><td>≥ 1, ≤ 9</td>" in text
    assert "def hostile_check(settings: HostileSettings)" in text
    assert "As the notes have it" in text
    assert 'aria-label="no"' in text


def test_the_errata_leave_out_what_both_readings_share(tmp_path):
    record = run(hostile_check)
    stated = [one for one in record.criteria if one.group == "corrected"]
    both = [*record.criteria, *(one.model_copy(update={"group": "stated"}) for one in stated[1:])]
    write_site(tmp_path, [HOSTILE_TOPIC], {"Z1": record.model_copy(update={"criteria": both})})
    counts = [
        (tmp_path / name).read_text("utf-8").count('<th scope="row">shared</th>')
        for name in ("errata.html", "hostile.html")
    ]
    assert counts == [1, 2]


def test_a_topic_without_results_says_so(tmp_path):
    write_site(tmp_path, [HOSTILE_TOPIC], {})
    assert "None has been run yet." in (tmp_path / "index.html").read_text("utf-8")
    assert (tmp_path / "hostile.html").read_text("utf-8").count(">not run</span>") == 2


def test_the_same_results_give_the_same_files(records, site, tmp_path):
    build_report(tmp_path, records)
    assert {one.name: one.read_text("utf-8") for one in tmp_path.iterdir()} == site.texts


def test_ids_are_sorted_by_their_numbers():
    ids = ["B1", "A10", "A2", "A2b", "own"]
    assert sorted(ids, key=id_order) == ["A2", "A2b", "A10", "B1", "own"]
