"""Tiny language models behind a real server, and the real client to ask them."""

import pytest
from openai import OpenAI
from tests.served import served
from tests.tiny_language_models import train_adapter, train_language_model

from dragoman.config.serving import ServingSettings
from dragoman.server.app import create_app
from dragoman.server.plan import ServerPlan


@pytest.fixture(scope="session")
def counting_runs(tmp_path_factory):
    """A language model that counts, and an adapter of it that counts in steps of two."""
    folder = tmp_path_factory.mktemp("writers")
    base = train_language_model(folder, "counting")
    how = "method = 'lora'\nrank = 4\ntarget_modules = ['query', 'value', 'inner']"
    return base, train_adapter(folder, base, "by-two", how, 2)


@pytest.fixture(scope="session")
def serve_language_models(counting_runs, tmp_path_factory):
    def start(**changes):
        settings = ServingSettings(**changes)
        app = create_app(
            ServerPlan(settings, counting_runs, tmp_path_factory.mktemp("s"), threads=1)
        )
        return served(app, settings)

    return start


@pytest.fixture(scope="module")
def server(serve_language_models):
    with serve_language_models() as running:
        yield running


def client_of(server):
    return OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0, timeout=60)


@pytest.fixture(scope="module")
def client(server):
    with client_of(server) as talking:
        yield talking
