#!/usr/bin/env python3
"""How fast `flatout ui` answers: first and later, over a run of 10 M points and over 5 000 runs.

    bench/ui_speed.py [--points N] [--runs N] [--starts N]

Needs build/release with the target made_up_store. Prints a table for docs/api.md.
"""

import argparse
import http.client
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/ui")]

import make_store  # noqa: E402
from ui_server import UiServer  # noqa: E402


class Timed:
    """Requests over one connection that stays open, as a browser's do."""

    def __init__(self, server: UiServer):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.headers = {"Authorization": f"Bearer {server.token}", "Accept": "application/vnd.flatout.columns, application/json"}

    def ms(self, path: str) -> float:
        """From the request to the last byte."""
        began = time.perf_counter()
        self.connection.request("GET", "/api/v1" + path, headers=self.headers)
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, body[:300]
        return (time.perf_counter() - began) * 1e3


def show(rows: dict[str, list[float]]) -> None:
    """As lines of a table."""
    for name, times in rows.items():
        print(f"| {name} | {min(times):.0f} | {statistics.median(times):.0f} | {max(times):.0f} |", flush=True)


def long_run(home: Path, points: int, starts: int, form: str) -> None:
    """A run of that many values of 10 names, as its file lies after a start; every other time without the sums that are kept beside it."""
    run = make_store.made_up("values", home, points, 10)[0]
    key, last = "v:4000:0:train/loss", points // 10
    rows: dict[str, list[float]] = {}
    memory = 0
    for start in range(2 * starts):
        kept = start % 2 == 1
        if not kept:
            (home / "runs" / run / "curves.sums").unlink(missing_ok=True)
        with UiServer(home) as server:
            ask = Timed(server)
            first = ask.ms(f"/runs/{run}")
            overview = ask.ms(f"/runs/{run}/series?key={key}&width=1000")
            how = "" if kept else ", nothing kept"
            rows.setdefault(f"{form}, {points // 1_000_000} M points: run and first curve{how}", []).append(first + overview)
            if not kept:
                continue
            zooms = []
            for i in range(1, 8):
                width = last / 4 ** i
                zooms.append(ask.ms(f"/runs/{run}/series?key={key}&width=1000&from={last / 3}&to={last / 3 + width}"))
            rows.setdefault(f"{form}: a zoom, slowest of 7 depths", []).append(max(zooms))
            rows.setdefault(f"{form}: a zoom, median of them", []).append(statistics.median(zooms))
            rows.setdefault(f"{form}: steps and phases", []).append(ask.ms(f"/runs/{run}/steps?width=600"))
            memory = server.memory_bytes()
    show(rows)
    print(f"| {form}: memory, MB | {memory / 1e6:.0f} | | |")


def many_runs(home: Path, runs: int, starts: int) -> None:
    """The list."""
    make_store.made_up("small", home, runs)
    rows: dict[str, list[float]] = {}
    memory = idle = 0
    for start in range(starts + 1):
        with UiServer(home) as server:
            ask = Timed(server)
            idle = server.memory_bytes()
            first = ask.ms("/runs?limit=5000")
            if start == 0:  # which makes the catalog
                print(f"| {runs} runs, no catalog yet | {first:.0f} | | |")
                continue
            rows.setdefault(f"{runs} runs: the list after a start", []).append(first)
            time.sleep(0.6)
            rows.setdefault(f"{runs} runs: the list again", []).append(ask.ms("/runs?limit=5000"))
            rows.setdefault(f"{runs} runs: a query, 100 rows", []).append(
                ask.ms("/runs?query=tag(even)+and+median_ms+%3C+130&sort=median_ms&limit=100"))
            memory = server.memory_bytes()
    show(rows)
    print(f"| {runs} runs: memory after the list (before: {idle / 1e6:.0f}), MB | {memory / 1e6:.0f} | | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--starts", type=int, default=5)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs\n\n| ms | best | median | worst |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        many_runs(Path(folder) / "many", options.runs, options.starts)
        long_run(Path(folder) / "sealed", options.points, options.starts, "sealed")
        os.environ["FLATOUT_SEAL"] = "off"
        long_run(Path(folder) / "log", options.points, options.starts, "log")


if __name__ == "__main__":
    main()
