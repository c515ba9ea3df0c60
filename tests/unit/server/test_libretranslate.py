"""Clients of LibreTranslate, unchanged."""

import json
import os
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from libretranslatepy import LibreTranslateAPI
from tests.served import Answer, Served, served

from dragoman.config.serving import ServingSettings
from dragoman.data.documents.document import Segment
from dragoman.pipeline.load import load_pipeline
from dragoman.pipeline.segments import translate_segments
from dragoman.server.api.libretranslate.files import FileStore
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan
from dragoman.tasks.translation.bare_translator import BareTranslator

SENTENCES = ["sun moon sea", "red cat", "blue dog tree bird", "fish song", "sky sun"]


@pytest.fixture(scope="module")
def offline(english_spanish: Path) -> dict[str, str]:
    """Give what the run makes of the sentences without a server."""
    care = load_pipeline(english_spanish, BareTranslator.load(english_spanish))
    found = translate_segments(care, [Segment(text) for text in SENTENCES])
    return {text: one.answer.text for text, one in zip(SENTENCES, found, strict=True)}


@pytest.fixture(scope="module")
def server(
    english_spanish: Path, german_english: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    scratch = tmp_path_factory.mktemp("scratch")
    plan = ServerPlan(ServingSettings(), (english_spanish, german_english), scratch, threads=1)
    with served(create_app(plan)) as running:
        yield running


def post(server: Served, path: str, **said: Any) -> Answer:
    body = json.dumps(said).encode()
    headers = {"Content-Type": "application/json"}
    return server.ask(path, method="POST", headers=headers, body=body)


def translate(server: Served, **said: Any) -> Answer:
    return post(server, "/translate", **{"source": "en", "target": "es", **said})


def test_the_real_client_translates_lists_languages_and_detects(server, offline):
    client = LibreTranslateAPI(server.url)
    assert {text: client.translate(text, "en", "es") for text in SENTENCES} == offline
    assert [(one["code"], one["name"], one["targets"]) for one in client.languages()] == [
        ("en", "English", ["es"]),
        ("de", "German", ["en"]),
        ("es", "Spanish", []),
    ]
    found = client.detect("Guten Morgen, wie geht es Ihnen heute?")
    assert found[0]["language"] == "de"
    assert 50 < found[0]["confidence"] <= 100


def test_a_list_of_texts_gets_a_list_of_translations_in_its_order(server, offline):
    answer = translate(server, q=SENTENCES)
    assert answer.json == {"translatedText": [offline[text] for text in SENTENCES]}


def test_a_form_and_an_address_say_the_same_as_json(server, offline):
    form = b"q=red+cat&source=en&target=es"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    said = server.ask("/translate", method="POST", headers=kind, body=form)
    assert said.json == {"translatedText": offline["red cat"]}
    asked = server.ask("/translate?q=red%20cat&source=en&target=es", method="POST", body=b"")
    assert asked.json == said.json


def test_white_space_and_paragraphs_stay(server, offline):
    answer = translate(server, q="  red cat\n\nfish song\n")
    assert answer.json["translatedText"] == f"  {offline['red cat']}\n\n{offline['fish song']}\n"


def test_tags_stay_where_html_is_asked_for(server):
    answer = translate(server, q="<p>red <b>cat</b> tree</p><hr>", format="html")
    text = answer.json["translatedText"]
    assert text.startswith("<p>")
    assert text.endswith("</p><hr>")
    assert text.count("<b>") == text.count("</b>") == 1


def test_alternatives_are_other_translations_and_as_many_as_asked_for(server, offline):
    answer = translate(server, q="red cat", alternatives=3).json
    assert answer["translatedText"] == offline["red cat"]
    assert 1 <= len(answer["alternatives"]) <= 3
    assert len({answer["translatedText"], *answer["alternatives"]}) == 1 + len(
        answer["alternatives"]
    )


def test_the_language_is_guessed_where_it_is_not_told(server):
    answer = translate(server, q="Where is the old house by the sea?", source="auto").json
    assert answer["detectedLanguage"]["language"] == "en"
    assert answer["translatedText"]


def test_a_text_in_the_target_language_stays_as_it_is(server):
    text = "¿Dónde está la vieja casa de mi abuela?"
    answer = translate(server, q=text, source="auto").json
    assert answer["detectedLanguage"]["language"] == "es"
    assert answer["translatedText"] == text


def test_a_narrower_name_of_a_language_means_it_too(server, offline):
    assert (
        translate(server, q="red cat", source="en-GB").json["translatedText"] == offline["red cat"]
    )


def test_nothing_becomes_nothing(server):
    assert translate(server, q="").json == {"translatedText": ""}
    assert translate(server, q=[]).json == {"translatedText": []}
    assert translate(server, q=" \n ").json == {"translatedText": " \n "}


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ({}, 400, "missing q parameter"),
        ({"q": "red", "target": "xx"}, 400, "xx is not supported. Translated are: en to es"),
        ({"q": "red", "source": "xx"}, 400, "xx is not supported"),
        ({"q": 5}, 400, "q:"),
        ({"q": "red", "format": "docx"}, 400, "format:"),
        ({"q": "red", "alternatives": -1}, 400, "alternatives:"),
        ({"q": "red", "alternatives": 99}, 400, "too many alternatives"),
        ({"q": ["red"] * 65}, 422, "limit: 64"),
        ({"q": "x" * 10_001}, 400, "request (10001) exceeds text limit (10000)"),
        ({"q": "half \ud800"}, 400, "an invalid character"),
    ],
)
def test_what_cannot_be_translated_is_told_in_one_line(server, said, status, words):
    answer = translate(server, **said)
    assert answer.status == status
    assert words in answer.json["error"]
    assert answer.json["id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b"null", b'"q"'])
def test_a_body_that_is_no_object_is_refused(server, body):
    kind = {"Content-Type": "application/json"}
    answer = server.ask("/translate", method="POST", headers=kind, body=body)
    assert answer.status == 400
    assert answer.json["error"]


def test_a_file_comes_back_translated_with_its_format(server, offline):
    before = '# kept\nmsgid ""\nmsgstr "Language: es\\n"\n\nmsgid "red cat"\nmsgstr "'
    form, kind = multipart({"source": "en", "target": "es"}, "menu.po", f'{before}"\n'.encode())
    answer = server.ask("/translate_file", method="POST", headers=kind, body=form)
    assert answer.status == 200
    url = answer.json["translatedFileUrl"]
    assert url.startswith(server.url + "/download_file/")
    with urllib.request.urlopen(url, timeout=20) as found:
        assert "menu.es.po" in found.headers["Content-Disposition"]
        assert found.read().decode() == f'{before}{offline["red cat"]}"\n'


def multipart(fields: dict[str, str], name: str, data: bytes) -> tuple[bytes, dict[str, str]]:
    mark = "----boundary"
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = b"".join(parts) + head.encode() + data + f"\r\n--{mark}--\r\n".encode()
    return body, {"Content-Type": f"multipart/form-data; boundary={mark}"}


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pdf", b"%PDF", "not read"),
        ("a.json", b"{", "a.json"),
        ("a.xlf", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "a.xlf"),
        ("a.docx", b"PK\x03\x04nothing", "a.docx"),
        ("../../a.po", b"\xff\xfe\x00", ".._.._a.po"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_its_own_name(server, name, data, words):
    form, kind = multipart({"source": "en", "target": "es"}, name, data)
    answer = server.ask("/translate_file", method="POST", headers=kind, body=form)
    assert answer.status == 400
    assert words in answer.json["error"]
    assert "/tmp" not in answer.json["error"]


def test_a_file_is_found_by_its_whole_name_only(tmp_path):
    store = FileStore(tmp_path / "files", ServingSettings(max_stored_files=2))
    store.folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (store.folder / "secret.txt").write_text("secret")
    name = store.put("../../a b?.po", b"data")
    assert store.get(name) == b"data"
    for wrong in ("secret.txt", "../secret.txt", name[:-1], name + "\n", "", "0" * 32 + ".x"):
        assert store.get(wrong) is None


def test_files_are_forgotten_when_there_are_too_many_or_they_are_too_old(tmp_path):
    store = FileStore(tmp_path, ServingSettings(max_stored_files=2, file_lifetime=100))
    names = []
    for age in (50, 40, 30):
        names.append(store.put("a.txt", b"x"))
        when = time.time() - age
        os.utime(tmp_path / names[-1], (when, when))
    assert [store.get(name) is not None for name in names] == [False, True, True]
    long_ago = time.time() - 101
    os.utime(tmp_path / names[1], (long_ago, long_ago))
    assert [store.get(name) is not None for name in names[1:]] == [False, True]


def test_the_page_is_told_limits_and_formats(server):
    told = server.ask("/frontend/settings").json
    assert told["charLimit"] == 10_000
    assert told["keyRequired"] is False
    assert told["language"]["source"] == {"code": "en", "name": "English"}
    assert {".txt", ".po", ".docx", ".srt"} <= set(told["supportedFilesFormat"])


def test_health_and_metrics_tell_that_it_works(server):
    assert server.ask("/health").json == {"status": "ok"}
    before = counted(server)
    translate(server, q=SENTENCES)
    translate(server, q=5)
    after = counted(server)
    asked = 'dragoman_requests_total{method="POST",route="/translate",status="200"}'
    refused = asked.replace("200", "400")
    assert after[asked] == before.get(asked, 0) + 1
    assert after[refused] == before.get(refused, 0) + 1
    (texts,) = [
        name
        for name in after
        if "texts_total" in name and 'run="en-es"' in name and 'lane="texts"' in name
    ]
    assert after[texts] == before[texts] + len(SENTENCES)


def counted(server: Served) -> dict[str, float]:
    lines = server.ask("/metrics").body.decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def test_many_clients_at_once_each_get_their_own_answer(server, offline):
    wrong: list[tuple[str, str]] = []

    def ask(client: int) -> None:
        api = LibreTranslateAPI(server.url)
        for turn in range(4):
            text = SENTENCES[(client + turn) % len(SENTENCES)]
            found = api.translate(text, "en", "es")
            if found != offline[text]:
                wrong.append((text, found))

    threads = [threading.Thread(target=ask, args=(client,)) for client in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_description_of_the_interface_names_every_route(server):
    paths = server.ask("/openapi.json").json["paths"]
    assert {"/translate", "/languages", "/detect", "/translate_file", "/health"} <= set(paths)
