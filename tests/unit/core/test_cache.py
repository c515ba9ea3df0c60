"""Where the cache is."""

from pathlib import Path

from dragoman.core import cache
from dragoman.core.cache import cache_folder


def test_the_cache_is_where_the_system_keeps_them(monkeypatch):
    monkeypatch.delenv("DRAGOMAN_CACHE", raising=False)
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/dragoman")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache/dragoman"
    monkeypatch.setattr(cache.sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library/Caches/dragoman"


def test_the_user_may_choose_the_cache(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
