"""A server can be stopped at any moment, also before it waits for requests."""

import signal

import uvicorn

from dragoman.server.serve import _stop_at_signals


def test_a_signal_that_comes_before_the_server_waits_for_one_stops_it():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    server = uvicorn.Server(uvicorn.Config(lambda *_: None))
    try:
        _stop_at_signals(server)
        assert not server.should_exit
        signal.raise_signal(signal.SIGTERM)
        assert server.should_exit
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
