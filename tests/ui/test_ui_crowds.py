"""Many clients without the token, few files that may be open, a stderr that nobody reads: who has the token is answered, and a signal ends it."""

import contextlib
import fcntl
import os
import resource
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

import harness
import pytest
from harness import wait_for

import make_store
from ui_server import UiServer

FILES = 256


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("crowds") / "home"
    make_store.made_up("small", home, 3)
    return home


class Cramped(UiServer):
    """A `flatout ui` that may open few files, and whose stderr is the file or pipe `err`."""

    def __init__(self, home, err):
        self.process = subprocess.Popen(
            [harness.flatout_bin(), "ui", "--home", home, "--no-open"], stdout=subprocess.PIPE, stderr=err, env=harness.environment(), text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)))
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        self.port = parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def short_ones(server, count: int) -> None:
    """Clients that come and go, without a word. A place may be long in coming: nobody waits for it."""
    for _ in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            connection.connect(("127.0.0.1", server.port))
        connection.close()


def held(server, count: int) -> list:
    """Clients that stay and say nothing whole."""
    out = []
    for _ in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            connection.connect(("127.0.0.1", server.port))
        out.append(connection)
    for connection in out:
        with contextlib.suppress(OSError):
            connection.send(b"GET / HTTP/1.1\r\nHo")
    return out


def ends(server, number: int) -> None:
    server.process.send_signal(number)
    assert server.process.wait(timeout=20) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_short_connections_and_a_stderr_that_nobody_reads(home, number):
    reads, writes = os.pipe()
    fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 4096)
    with Cramped(home, writes) as server:
        # Full now: the next write to it would wait for ever.
        os.set_blocking(writes, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(writes, b"x"):
                pass
        os.set_blocking(writes, True)
        for _ in range(5):
            short_ones(server, 4 * FILES)
            crowd = held(server, 2 * FILES)
            assert server.files() < FILES
            assert server.ask("/api/v1/runs", timeout=30)[0] == 200
            for connection in crowd:
                connection.close()
        ends(server, number)
    os.close(reads)
    os.close(writes)


def test_warnings_are_counted_and_not_written_one_by_one(home, tmp_path):
    said = tmp_path / "stderr"
    with said.open("wb") as err, Cramped(home, err) as server:
        for _ in range(5):
            crowd = held(server, 4 * FILES)
            assert server.ask("/api/v1/runs", timeout=30)[0] == 200
            for connection in crowd:
                connection.close()
        ends(server, signal.SIGTERM)
    assert len(said.read_bytes()) < 4096


def test_files_of_closed_connections_are_free_at_once(home):
    with UiServer(home) as server:
        assert server.ask("/api/v1/runs")[0] == 200
        files = lambda: len(os.listdir(f"/proc/{server.process.pid}/fd"))  # noqa: E731
        before = wait_for(files)
        began = time.monotonic()
        for _ in range(20):
            for connection in [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(20)]:
                connection.close()
            wait_for(lambda: files() <= before, pause_s=0.002)
        # It waits for no clock: twenty looks, one a second, would have taken twenty seconds.
        assert time.monotonic() - began < 10


class Crowd:
    """200 clients without a token that send a byte now and then, and come again when they are thrown out."""

    def __init__(self, server, count: int = 200):
        self.server, self.stop = server, threading.Event()
        self.connections = held(server, count)
        self.thrown_out = 0
        self.thread = threading.Thread(target=self.stay)
        self.thread.start()

    def stay(self):
        while not self.stop.is_set():
            for at, connection in enumerate(self.connections):
                try:
                    connection.send(b"a")
                except BlockingIOError:
                    pass
                except OSError:
                    connection.close()
                    self.thrown_out += 1
                    self.connections[at] = held(self.server, 1)[0]
            self.stop.wait(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        for connection in self.connections:
            connection.close()


def test_slow_strangers_hold_up_nobody(home):
    with UiServer(home) as server, Crowd(server) as crowd:
        taken = []
        for _ in range(20):
            began = time.monotonic()
            assert server.ask("/api/v1/runs", timeout=30)[0] == 200
            taken.append(time.monotonic() - began)
        assert sorted(taken)[-1] < 4 and sorted(taken)[10] < 2, sorted(taken)
        # They were, or they would have held all places.
        wait_for(lambda: crowd.thrown_out > 0)


def test_strangers_never_take_the_place_of_who_has_the_token(home):
    """A connection with the token stays open while strangers come and go."""
    ask = "GET /api/v1/runs?limit=1 HTTP/1.1\r\nHost: 127.0.0.1:{0.port}\r\nAuthorization: Bearer {0.token}\r\n\r\n"
    with UiServer(home) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as known, Crowd(server) as crowd:
            for wanted in (1, 150, 300):
                known.sendall(ask.format(server).encode())
                assert known.recv(65536).startswith(b"HTTP/1.1 200")
                wait_for(lambda wanted=wanted: crowd.thrown_out >= wanted, 60)
                with contextlib.suppress(BlockingIOError):
                    known.setblocking(False)
                    while known.recv(65536):
                        pass
                known.setblocking(True)
                known.settimeout(30)
            known.sendall(ask.format(server).encode())
            assert known.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_refused_stranger_is_let_go(home):
    with UiServer(home) as server, socket.create_connection(("127.0.0.1", server.port), timeout=30) as stranger:
        stranger.sendall(f"GET /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        found = b""
        while part := stranger.recv(65536):
            found += part
        assert found.startswith(b"HTTP/1.1 401") and b"connection: close" in found.lower()


LOGS = """
import flatout.track as track
with open("big", "wb") as file:
    file.write(bytes(24 << 20))
run = track.init(project="p")
made = track.Artifact("model", "model")
made.add_file("big")
run.log_artifact(made)
run.finish()
"""


@pytest.mark.slow
def test_a_client_that_takes_a_large_answer_slowly_gets_all_of_it(tmp_path):
    """For longer than a client may be silent, which is 10 s: it says nothing while it reads."""
    home = tmp_path / "home"
    env = harness.environment(FLATOUT_HOME=home, PYTHONPATH=harness.ROOT / "python", FLATOUT_BIN=harness.flatout_bin())
    subprocess.run([harness.flatout_bin(), "run", "--home", home, "--quiet", "--", harness.PYTHON, "-c", LOGS], env=env, cwd=tmp_path, check=True)
    file = next(path for path in home.glob("runs/*/files/*") if path.stat().st_size == 24 << 20)
    with UiServer(home) as server, socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        ask = f"GET /api/v1/runs/{file.parts[-3]}/files/{file.name} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
        client.sendall(ask.encode())
        taken, began, size = 0, time.monotonic(), file.stat().st_size
        while taken < size:
            part = client.recv(1 << 20)
            assert part, f"ended after {taken} bytes and {time.monotonic() - began:.1f} s"
            taken += len(part)
            time.sleep(max(0, began + 15 * taken / size - time.monotonic()))
        assert time.monotonic() - began > 12
