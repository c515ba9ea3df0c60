"""A server under load: many clients at once, every answer compared with the offline translation.

    python benchmarks/serving_load.py runs/demo --clients 64 --seconds 120 --workers 1

Reports errors, answers that are not those of their own sentence, p50 and p95, sentences per
CPU-second of the server and of the offline translator in the same run, and memory at both ends.
Machines that others share are now quicker and now slower: with `--rounds 6` the clients rest five
times, and the offline translator is measured before, between and after, while the server waits.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, quantiles

from serving import Server, said


def main() -> None:
    """Serve a run, ask it, and print a table."""
    options = read_options()
    sentences = read_sentences(options.run, options.sentences)
    alone = [offline(options, sentences)]
    threads = f"threads={options.threads}"
    server = Server(
        options.run, "--workers", options.workers, "--engine", options.engine, "--set", threads
    )
    cpu, held = 0.0, []
    load = Load(server, sentences, alone[0]["texts"])
    try:
        server.translate(text=sentences[0])
        for _ in range(options.rounds):
            began = server.cpu()
            held += watch_memory(server, load, options)
            cpu += server.cpu() - began
            alone.append(offline(options, sentences))
    finally:
        code = server.stop()
    speed, care = (fmean(one[name] for one in alone) for name in ("speed", "care"))
    served = len(load.seconds) / cpu
    cuts = quantiles(load.seconds, n=100)
    rows = {
        "clients": options.clients,
        "seconds": f"{options.seconds:g} in {options.rounds}",
        "workers and threads": f"{options.workers} {options.threads}",
        "answers": len(load.seconds),
        "errors": len(load.errors),
        "not the offline translation": len(load.crossed),
        "p50 ms": round(1000 * cuts[49]),
        "p95 ms": round(1000 * cuts[94]),
        "p99 ms": round(1000 * cuts[98]),
        "answers per second": round(len(load.seconds) / options.seconds, 1),
        "answers per server CPU-second": round(served, 1),
        "offline, lines per CPU-second": round(speed, 1),
        "offline, with care as files are": round(care, 1),
        "ratio to lines": round(served / speed, 3),
        "ratio to files": round(served / care, 3),
        "memory MiB, every 15 s": " ".join(f"{one:.0f}" for one in held),
        "exit code": code,
    }
    print("\n".join(f"{name:<36} {value}" for name, value in rows.items()))
    for wrong in [*load.errors[:3], *load.crossed[:5]]:
        print("  ", wrong)
    if options.output:
        with options.output.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(rows) + "\n")


def watch_memory(server: Server, load: "Load", options: argparse.Namespace) -> list[float]:
    """Let the clients ask, and look every 15 seconds how much memory the server holds."""
    seconds = options.seconds / options.rounds
    asking = threading.Thread(target=load.run, args=(options.clients, seconds))
    asking.start()
    held = [server.memory()]
    while asking.is_alive():
        asking.join(15)
        held.append(server.memory())
    return held


def read_options() -> argparse.Namespace:
    """Read what is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rounds", type=int, default=1, help="that the seconds are made of")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="of each worker, and offline")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--engine", default="torch")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def read_sentences(run: Path, count: int) -> list[str]:
    """Take held-out sentences of the run, each once."""
    found: dict[str, None] = {}
    for path in sorted((run / "data").glob("*.source.txt")):
        found |= dict.fromkeys(path.read_text("utf-8").split("\n"))
    kept = [line for line in found if line.strip()]
    random.Random(1).shuffle(kept)
    return kept[:count]


def offline(options: argparse.Namespace, sentences: Sequence[str]) -> dict:
    """Translate everything in one go, in a process of its own with as many threads."""
    script = (
        "import json,sys,time,torch\n"
        "from pathlib import Path\n"
        "from dragoman.data.documents.document import Segment\n"
        "from dragoman.tasks.translation.bare_translator import BareTranslator\n"
        "from dragoman.pipeline.segments import translate_segments\n"
        "from dragoman.pipeline.load import load_pipeline\n"
        "asked=json.load(sys.stdin)\n"
        "torch.set_num_threads(asked['threads'])\n"
        "one=BareTranslator.load(asked['run'],engine=asked['engine'])\n"
        "care=load_pipeline(Path(asked['run']),one)\n"
        "one.translate(asked['texts'][:64])\n"
        "began=time.process_time()\n"
        "one.translate(asked['texts'])\n"
        "took=time.process_time()-began\n"
        "began=time.process_time()\n"
        "said=translate_segments(care,[Segment(t) for t in asked['texts']])\n"
        "care=time.process_time()-began\n"
        "json.dump({'texts':[s.answer.text for s in said],'care':len(asked['texts'])/care,"
        "'speed':len(asked['texts'])/took},sys.stdout)\n"
    )
    asked = {
        "run": str(options.run),
        "texts": sentences,
        "threads": options.threads,
        "engine": options.engine,
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GOMP_SPINCOUNT": "10000"},
    )
    return json.loads(done.stdout)


class Load:
    """Clients that ask one sentence after the other, all on one thread so that they cost little."""

    def __init__(self, server: Server, sentences: Sequence[str], answers: Sequence[str]) -> None:
        self.server, self.sentences, self.answers = server, sentences, answers
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self.crossed: list[tuple[str, str, str]] = []

    def run(self, clients: int, seconds: float) -> None:
        """Ask for so many seconds."""
        until = time.monotonic() + seconds

        async def all_of_them() -> None:
            await asyncio.gather(*(self._ask(number, until) for number in range(clients)))

        asyncio.run(all_of_them())

    async def _ask(self, client: int, until: float) -> None:
        draw, line = random.Random(client), await self._line()
        while time.monotonic() < until:
            place = draw.randrange(len(self.sentences))
            began = time.perf_counter()
            try:
                found = await ask(*line, self.sentences[place])
            except (OSError, EOFError, RuntimeError) as error:
                self.errors.append(repr(error))
                line[1].close()
                line = await self._line()
                continue
            self.seconds.append(time.perf_counter() - began)
            if found != self.answers[place]:
                self.crossed.append((self.sentences[place], found, self.answers[place]))
        line[1].close()

    async def _line(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.server.port)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sentence: str) -> str:
    """Translate one sentence."""
    body = said(sentence)
    head = f"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines if line)
    told = await reader.readexactly(int(headers["content-length"]))
    if status.split()[1] != "200":
        raise RuntimeError(f"{status} {told!r}")
    return json.loads(told)["translatedText"]


if __name__ == "__main__":
    main()
