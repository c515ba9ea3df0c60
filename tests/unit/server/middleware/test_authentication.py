"""Keys: kept as hashes, asked for everywhere, and looked for where clients put them."""

import base64
import json
import logging
import multiprocessing
import re
import select
import string

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from libretranslatepy import LibreTranslateAPI
from tests.served import waited_for
from tests.unit.server.middleware.conftest import work_done

from dragoman.core.errors import ConfigError, DataError
from dragoman.server.middleware.api_keys import KeyFile, add_key, read_entries, remove_key

ROUTES = [("POST", "/echo"), ("GET", "/languages"), ("POST", "/translate"), ("GET", "/nothing")]
BOUNDARY = "multipart/form-data; boundary=line"


def part(name: str, value: str) -> bytes:
    return f'--line\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def test_a_key_is_long_and_random_and_only_its_hash_is_kept(tmp_path):
    path = tmp_path / "keys.json"
    made = [add_key(path, name) for name in ("ada", "bob")]
    assert all(re.fullmatch(r"dgm_[A-Za-z0-9_-]{43}", key) for key in made)
    assert made[0] != made[1]
    text = path.read_text()
    assert json.loads(text)["format"] == "dragoman-keys"
    assert not any(key in text or key[4:] in text for key in made)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [KeyFile.load(path).owner(key.encode()) for key in made] == ["ada", "bob"]


@given(key=st.binary(max_size=100))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_wrong_key_of_any_length_is_nobody_s(keys, key):
    assert KeyFile(keys.path).owner(key) is None


def test_nothing_near_a_key_opens(keys):
    known, key = KeyFile(keys.path), keys.key.encode()
    (entry,) = read_entries(keys.path)
    for near in (key[:-1], key + b"x", key.upper(), key[4:], b"", b"\0" + key, key + b"\n"):
        assert known.owner(near) is None
    assert known.owner(entry.sha256.encode()) is None


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_without_a_key_nothing_is_done(behind_middleware, keys, method, path):
    server = behind_middleware(keys.path)
    for headers in ({}, {"X-Api-Key": "dgm_" + "a" * 43}, basic("x", "y"), basic(keys.key, "")):
        answer = server.ask(path, method=method, headers=headers, body=b"{")
        assert answer.status == 401
        assert answer.headers["www-authenticate"].startswith('Basic realm="Dragoman"')
        assert answer.json["id"]
    assert work_done == []


def test_a_key_is_not_looked_for_in_bodies_of_other_routes(behind_middleware, keys):
    body = json.dumps({"api_key": keys.key, "text": "x"}).encode()
    server = behind_middleware(keys.path)
    said = {"Content-Type": "application/json"}
    assert server.ask("/echo", method="POST", headers=said, body=body).status == 401
    assert server.ask(f"/raw?api_key={keys.key}", method="POST", body=b"").status == 401


def test_who_has_no_key_is_refused_before_the_body_has_come(behind_middleware, keys):
    server = behind_middleware(keys.path)
    with server.connect() as client:
        client.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 401 ")


def test_whether_the_server_lives_can_be_asked_by_all(behind_middleware, keys):
    server = behind_middleware(keys.path)
    assert server.ask("/health").status == 200
    for near in ("/health/", "/Health", "/health/x", "//health", "/health%2f", "/translate/health"):
        assert server.ask(near).status == 401, near


def test_a_key_in_a_header_opens(behind_middleware, keys):
    server = behind_middleware(keys.path)
    for headers in (
        {"Authorization": f"Bearer {keys.key}"},
        {"authorization": f"bearer  {keys.key} "},
        {"X-Api-Key": keys.key},
        basic("anybody", keys.key),
        basic("", keys.key),
    ):
        answer = server.ask("/raw", method="POST", headers=headers, body=b"abc")
        assert answer.json == {"bytes": 3, "query": "", "key": "ada"}


@pytest.mark.parametrize(
    "value", ["Basic ÿÿ", "Basic !", "Basic", "Bearer", "Negotiate abc", "", " ", "Basic Og=="]
)
def test_odd_credentials_are_none(behind_middleware, keys, value):
    server = behind_middleware(keys.path)
    assert server.ask("/languages", headers={"Authorization": value}).status == 401


def test_clients_of_libretranslate_may_put_the_key_into_address_or_body(behind_middleware, keys):
    server = behind_middleware(keys.path)

    def ask(kind: str, body: bytes, path: str = "/translate", method: str = "POST"):
        return server.ask(path, method=method, headers={"Content-Type": kind}, body=body)

    said = json.dumps({"q": "x", "api_key": keys.key}).encode()
    assert ask("application/json; charset=utf-8", said).json["bytes"] == len(said)
    form = f"q=x&api_key={keys.key}".encode()
    urlencoded = "application/x-www-form-urlencoded"
    assert ask(urlencoded, form).json["bytes"] == len(form)
    assert ask(urlencoded, form, "/languages", "GET").json["key"] == "ada"
    parts = part("q", "x" * 5000) + part("api_key", keys.key) + b"--line--\r\n"
    assert ask(BOUNDARY, parts, "/translate_file").json["bytes"] == len(parts)
    assert ask("text/plain", b"", f"/translate?api_key={keys.key}&q=x").json["query"] == "q=x"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b'{"api_key": 5}'),
        ("application/json", b'{"api_key": ["KEY"]}'),
        ("application/json", b'["KEY"]'),
        ("application/json", b'{"api_key": "\\ud800"}'),
        ("application/json", b"[" * 100_000),
        ("application/json", b"\xff\xfe"),
        ("application/x-www-form-urlencoded", b"api_key=&api_key=%ff%00"),
        ("application/x-www-form-urlencoded", b"&".join([b"a=b"] * 2000)),
        ("multipart/form-data", b"no boundary"),
        (BOUNDARY, b"--line\r\nnonsense"),
        (BOUNDARY, part("other", "KEY") + b"--line--\r\n"),
        (BOUNDARY, (part("a", "b") * 500) + b"--line--\r\n"),
        ("multipart/form-data; boundary=\xff", b"--\xff--"),
        ("text/plain", b"api_key=KEY"),
    ],
)
def test_bodies_without_a_readable_key_are_refused(behind_middleware, keys, kind, body):
    body = body.replace(b"KEY", keys.key.encode())
    server = behind_middleware(keys.path)
    answer = server.ask("/translate", method="POST", headers={"Content-Type": kind}, body=body)
    assert answer.status == 401
    assert work_done == []


def test_strangers_together_cannot_fill_the_memory(behind_middleware, keys):
    server = behind_middleware(keys.path, max_upload_bytes=1 << 20)
    head = "POST /translate_file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048576\r\n\r\n"
    clients = [server.connect() for _ in range(8)]
    try:
        for client in clients:
            client.sendall(head.encode() + b"x" * 1_000_000)
        assert waited_for(lambda: len(_answered(clients)) == 4)
        assert all(client.recv(12) == b"HTTP/1.1 503" for client in _answered(clients))
    finally:
        for client in clients:
            client.close()
    said = {"X-Api-Key": keys.key}
    body = b"x" * 1_000_000
    assert server.ask("/translate_file", method="POST", headers=said, body=body).status == 200


def _answered(clients):
    return select.select(clients, [], [], 0)[0]


def test_room_that_was_taken_is_given_back(behind_middleware, keys):
    server = behind_middleware(keys.path, max_upload_bytes=1 << 20)
    for _ in range(9):
        answer = server.ask("/translate_file", method="POST", body=b"x" * 1_000_000)
        assert answer.status == 401


def test_keys_come_into_no_log(behind_middleware, keys, caplog):
    with caplog.at_level(logging.DEBUG):
        behind_middleware(keys.path).ask(f"/translate?api%5fkey={keys.key}&q=x")
    assert keys.key not in caplog.text


def test_the_client_of_libretranslate_is_let_in(behind_middleware, keys):
    server = behind_middleware(keys.path)
    assert LibreTranslateAPI(server.url, keys.key).languages()["key"] == "ada"


def test_a_key_that_is_removed_opens_nothing_while_the_server_runs(behind_middleware, keys):
    server = behind_middleware(keys.path)
    with httpx2.Client(base_url=server.url, auth=("", keys.key)) as client:
        assert client.get("/languages").status_code == 200
        other = add_key(keys.path, "bob")
        assert client.get("/languages", headers={"X-Api-Key": other}).status_code == 200
        remove_key(keys.path, "ada")
        assert client.get("/languages").status_code == 401
        keys.path.write_text("{}")
        assert client.get("/languages", headers={"X-Api-Key": other}).status_code == 401
        keys.path.unlink()
        assert client.get("/languages", headers={"X-Api-Key": other}).status_code == 401
        assert client.get("/health").status_code == 200


def test_keys_that_are_added_at_the_same_time_are_all_there(tmp_path):
    path = tmp_path / "keys.json"
    spawning = multiprocessing.get_context("spawn")
    workers = [spawning.Process(target=add_key, args=(path, f"n{i}")) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(entry.name for entry in read_entries(path)) == ["n0", "n1", "n2", "n3"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"format": "dragoman-keys", "version": 2, "keys": []}',
        '{"format": "other", "version": 1, "keys": []}',
        '{"format": "dragoman-keys", "version": 1, "keys": {}}',
        '{"format": "dragoman-keys", "version": 1, "keys": [5]}',
        '{"format": "dragoman-keys", "version": 1, "keys": [{"name": "a", "sha256": ""}]}',
        " " * 2_000_000,
    ],
)
def test_what_is_no_file_of_keys_is_refused_with_its_name(tmp_path, text):
    path = tmp_path / "keys.json"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(DataError, match=r"keys\.json: "):
        KeyFile.load(path)


def test_a_file_that_others_may_write_to_is_refused(keys):
    keys.path.chmod(0o622)
    with pytest.raises(DataError, match="chmod 600"):
        KeyFile.load(keys.path)


def test_a_file_without_keys_or_no_file_is_refused(keys, tmp_path):
    with pytest.raises(DataError, match="Make it with: dragoman key add"):
        KeyFile.load(tmp_path / "none.json")
    remove_key(keys.path, "ada")
    with pytest.raises(DataError, match="Add one with: dragoman key add"):
        KeyFile.load(keys.path)


@given(st.text(string.printable + "é\u202e", max_size=70))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_names_stay_plain(tmp_path, name):
    path = tmp_path / "keys.json"
    path.unlink(missing_ok=True)
    try:
        add_key(path, name)
    except ConfigError:
        assert not path.exists()
    else:
        assert [entry.name for entry in read_entries(path)] == [name]
        assert name.isascii()
        assert not set(name) & set(string.whitespace)
