"""Nobody but the user: tokens, hosts, origins, paths, sizes, slow clients, and what names may hold."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.parse

import harness
import pytest

import make_store
from scripts import counts, ended_with, only_run, row, start
from harness import wait_for
from ui_server import UiServer


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("security") / "home"
    make_store.made_up("small", home, 3)
    make_store.made_up("values", home, 100, 2, "<script>alert(1)</script>\u001b[31m")
    return home


def raw(server, request: bytes, wait_s: float = 5) -> bytes:
    """What comes back for these bytes until the connection closes or nothing comes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait_s) as connection:
        connection.sendall(request)
        found = b""
        try:
            while part := connection.recv(65536):
                found += part
        except (TimeoutError, ConnectionResetError):
            pass
        return found


def test_wrong_or_no_token(server):
    for path in ("/", "/api/v1/runs", "/assets/x.js", "/metrics", "/api/v1/nothing"):
        assert server.ask(path, token=False)[0] == 401
        assert server.ask(path, token=False, headers={"Authorization": "Bearer " + "a" * 26})[0] == 401
    assert server.ask("/?token=" + "a" * 26, token=False)[0] == 401
    status, headers, _ = server.ask(f"/?token={server.token}", token=False)
    cookie = headers["set-cookie"]
    assert status == 303 and headers["location"] == "/" and "HttpOnly" in cookie and "SameSite=Strict" in cookie
    assert server.ask("/api/v1/runs", token=False, headers={"Cookie": cookie.split(";")[0]})[0] == 200


def test_other_hosts_and_origins(server):
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1:1", ""):
        assert server.ask("/api/v1/runs", headers={"Host": host})[0] in (400, 403)
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}"):
        assert server.ask("/api/v1/runs", headers={"Origin": origin})[0] == 403
    assert server.ask("/api/v1/runs", headers={"Origin": f"http://127.0.0.1:{server.port}"})[0] == 200
    two = f"GET /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: evil\r\nAuthorization: Bearer {server.token}\r\nConnection: close\r\n\r\n"
    assert raw(server, two.encode()).startswith(b"HTTP/1.1 400")


def test_only_this_machine_can_reach_it(server):
    with open("/proc/net/tcp", encoding="ascii") as table:
        local = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in local and f"00000000:{server.port:04X}" not in local


def test_answers_may_not_be_embedded_or_guessed_at(server):
    for path in ("/", "/api/v1/runs", "/api/v1/nothing", "/metrics"):
        headers = server.ask(path)[1]
        assert headers["x-frame-options"] == "DENY" and headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", [
    "/api/v1/runs/../../etc/passwd", "/api/v1/runs/..%2f..%2fetc", "/api/v1/runs/%2e%2e/files/x", "/..%2f..%2fetc/passwd.txt",
    "/assets/..%2f..%2fREADME.md", "/api/v1/runs/%00", "/%zz"])
def test_paths_lead_nowhere_else(server, path):
    assert server.ask(path)[0] in (400, 404)


def test_files_are_those_that_a_run_logged(server, home):
    run = server.get("/runs", limit=1)["runs"][0]["id"]
    (home / "runs" / run / "files").mkdir(exist_ok=True)
    (home / "runs" / run / "files/secret.txt").write_text("secret")
    for name in ("secret.txt", "..%2fmeta.json", "..%2f..%2f..%2fcatalog.sqlite", ".hidden"):
        status, _, body = server.ask(f"/api/v1/runs/{run}/files/{name}")
        assert status == 404 and b"secret" not in body


def test_links_in_the_store_are_not_followed(server, home, tmp_path):
    run = server.get("/runs", limit=1)["runs"][0]["id"]
    (home / "runs/linkedrun").symlink_to(home / "runs" / run)
    secret = tmp_path / "secret"
    secret.write_text('{"schema":"flatout.tune/1","secret":true}')
    (home / "runs" / run / "tune.json").symlink_to(secret)
    try:
        assert server.ask("/api/v1/runs/linkedrun")[0] == 404
        status, _, body = server.ask(f"/api/v1/runs/{run}/tune")
        assert status == 404 and b"secret" not in body
    finally:
        (home / "runs/linkedrun").unlink()
        (home / "runs" / run / "tune.json").unlink()


def test_methods_that_nothing_takes(server):
    run = server.get("/runs", limit=1)["runs"][0]["id"]
    for method, path in (("POST", "/api/v1/runs"), ("DELETE", f"/api/v1/runs/{run}"), ("PUT", f"/api/v1/runs/{run}"), ("POST", "/")):
        status, headers, _ = server.ask(path, method)
        assert status == 405 and "GET" in headers["allow"]
    assert server.ask("/api/v1/runs", "BREW")[0] in (400, 405, 501)
    status, headers, body = server.ask("/api/v1/runs", "HEAD")
    assert status == 200 and body == b"" and int(headers["content-length"]) > 100


def poured(server, head: bytes, part: bytes, most: int = 64 << 20) -> bytes:
    """What is answered to a request whose body goes on and on; nothing where the connection is closed."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(head)
        try:
            for _ in range(most // len(part)):
                connection.sendall(part)
        except TimeoutError:
            return b"neither taken nor refused"
        except OSError:
            pass  # closed; the answer may still be there
        try:
            return connection.recv(4096)
        except TimeoutError:
            return b"taken, and no answer"
        except OSError:
            return b""


@pytest.mark.parametrize("how", ["Content-Length: 99999999", "Transfer-Encoding: chunked", "X-Large: "])
def test_large_bodies_and_headers(server, how):
    run = server.get("/runs", limit=1)["runs"][0]["id"]
    head = f"PATCH /api/v1/runs/{run} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n{how}"
    head += "" if how.startswith("X-") else "\r\n\r\n"
    part = b"a" * (1 << 16)
    if "chunked" in how:
        part = b"10000\r\n" + part + b"\r\n"
    before = server.memory_bytes()
    answer = poured(server, head.encode(), part)
    assert answer == b"" or answer.split(b" ")[1] in (b"400", b"413", b"431"), answer
    # The rest may be taken, and is thrown away.
    assert server.memory_bytes() - before < 8 << 20
    assert server.ask("/api/v1/runs")[0] == 200


def test_bodies_and_addresses_just_too_large(server):
    run = server.get("/runs", limit=1)["runs"][0]["id"]
    note = json.dumps({"note": "a" * 1000})
    assert server.ask(f"/api/v1/runs/{run}", "PATCH", note)[0] == 200
    assert server.ask(f"/api/v1/runs/{run}", "PATCH", note + " " * (60 << 10))[0] == 200
    assert server.ask(f"/api/v1/runs/{run}", "PATCH", note + " " * (64 << 10))[0] == 413
    assert server.ask("/api/v1/runs?query=" + "a" * 14_000)[0] in (400, 413, 414)


def test_nonsense_is_no_request(server):
    for bytes_ in (b"\0" * 1000, b"GET\r\n\r\n", b"\r\n" * 500, b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00"):
        raw(server, bytes_, wait_s=1)
        assert server.ask("/api/v1/runs")[0] == 200


def sockets_of(server) -> int:
    """How many files it has open: a socket that it closed is not always seen from outside, where nobody reads."""
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def slow_and_unread(server) -> tuple:
    """Clients that never end their request, and clients that ask for much and read nothing of it."""
    slow, unread = [], []
    ask = f"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
    for _ in range(60):
        slow.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        slow[-1].sendall(b"GET /api/v1/runs HTTP/1.1\r\nHo")
    for _ in range(40):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            for _ in range(300):
                connection.send(ask)
        unread.append(connection)
    return slow, unread


def test_slow_clients_hold_nobody_up(home):
    with UiServer(home) as server:
        assert server.ask("/api/v1/runs")[0] == 200
        wait_for(lambda: sockets_of(server) < 20)
        before, memory = sockets_of(server), server.memory_bytes()
        slow, unread = slow_and_unread(server)
        began = time.monotonic()
        for _ in range(5):
            assert server.ask("/api/v1/runs", timeout=5)[0] == 200
        assert time.monotonic() - began < 5
        assert sockets_of(server) > before + 80
        assert server.memory_bytes() - memory < 32 << 20

        def all_ended():  # a byte now and then does not keep a connection
            for connection in slow:
                with contextlib.suppress(OSError):
                    connection.send(b"a")
            time.sleep(0.3)
            return sockets_of(server) <= before

        wait_for(all_ended, 30)
        for connection in slow + unread:
            connection.close()


def test_listeners_are_bounded_and_unread_ones_cost_nothing(server):
    listening = []
    ask = f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
    statuses = []
    for _ in range(30):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        connection.sendall(ask)
        statuses.append(connection.recv(20).split(b" ")[1])
        listening.append(connection)
    assert statuses.count(b"200") == 24 and statuses.count(b"429") == 6
    assert server.ask("/api/v1/runs")[0] == 200
    for connection in listening:
        connection.close()
    # Their places are free again.
    wait_for(lambda: raw_status(server, ask) == b"200")


def raw_status(server, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(20).split(b" ")[1]


def test_names_are_data(server):
    row = server.get("/runs", query="script")["runs"][0]
    assert row["name"] == "<script>alert(1)</script>\u001b[31m"
    status, headers, body = server.ask(f"/api/v1/runs/{row['id']}")
    assert headers["content-type"] == "application/json" and b"\x1b" not in body
    page = server.ask(f"/api/v1/runs/{row['id']}/page")[2]
    assert b"<script>alert(1)" not in page


HOSTILE = "<img src=x onerror=alert(1)>\x1b[31m\x1b]0;title\x07\"'`&\u202e\n"
ESCAPES = (b"\x1b", b"\x07", b"\xc2\x9b", "\u202e".encode())


def test_what_a_script_logs_is_data_everywhere(tmp_path):
    """In names of runs, of metrics, in keys, texts, tags, alerts: over HTTP as JSON, in a terminal without its control characters."""
    home, stop = tmp_path / "home", tmp_path / "stop"
    script = start(home, "hostile.py", HOSTILE, stop, options=["--name", HOSTILE])
    with ended_with(script), UiServer(home) as server:
        run = only_run(server)
        wait_for(lambda: counts(server, run))
        wait_for(lambda: row(server, run)["state"] == "running")
        held_by_metrics(server)
        terminals(home, run, "top", "--once", run)
        stop.touch()
        assert script.wait(timeout=20) == 0, script.stderr.read()
        wait_for(lambda: row(server, run)["state"] == "finished" and row(server, run)["tracked"])
        detail = wait_for(lambda: [one for one in [server.get(f"/runs/{run}")] if one["tracked"]])[0]
        assert any(HOSTILE.strip() in one["name"] for one in detail["series"]), detail["series"]
        assert detail["tracked"][0]["name"] == HOSTILE and detail["tracked"][0]["config"][HOSTILE] == HOSTILE
        for path in ("", "/series?key=" + urllib.parse.quote(detail["series"][0]["key"]), "/steps", "/ranks", "/report", "/events"):
            status, headers, body = server.ask(f"/api/v1/runs/{run}{path}")
            assert (status, headers["content-type"], headers["x-content-type-options"]) == (200, "application/json", "nosniff"), path
            assert not any(escape in body for escape in (b"\x1b", b"\x07")), path
        page = server.ask(f"/api/v1/runs/{run}/page")[2]
        assert b"<img src=x" not in page and b"\x1b" not in page
        for one in detail["tracked"][0]["files"] or []:
            headers = server.ask(f"/api/v1/runs/{run}/files/{one['file']}")[1]
            assert headers["content-disposition"] == "attachment" and "sandbox" in headers["content-security-policy"]
        html = [name.name for name in (home / "runs" / run / "files").glob("*.html")]
        assert len(html) == 2  # what was logged as a page, itself or in a table, is never shown as one
        for name in html:
            status, headers, _ = server.ask(f"/api/v1/runs/{run}/files/{name}")
            assert status == 200 and headers["content-type"] == "application/octet-stream"
            assert headers["content-disposition"] == "attachment" and "sandbox" in headers["content-security-policy"]
        (home / "runs" / run / "files/beside.txt").write_text("named in a cell's text alone")
        assert server.ask(f"/api/v1/runs/{run}/files/beside.txt")[0] == 404
        for words in (("ls",), ("show", run), ("report", run), ("compare", run, run), ("top", "--once", run), ("check", run, "--budget", budget(tmp_path))):
            terminals(home, run, *words)


def held_by_metrics(server):
    for accept in ("application/openmetrics-text", "text/plain"):
        text = server.ask("/metrics", headers={"Accept": accept})[2]
        assert b"hostile" in text or b"<img" in text  # the run's name is among the labels
        assert not any(escape in text for escape in (b"\x1b", b"\x07"))
        assert all(line.startswith((b"#", b"hw_", b"flatout_", b"DCGM_", b"process_")) for line in text.splitlines()), text


def budget(folder):
    (folder / "budget.toml").write_text("[limits]\nsteps = 1\n")
    return folder / "budget.toml"


def terminals(home, run, *words):
    """What a command prints, also where it fails, moves no cursor and sets no title."""
    done = subprocess.run([harness.flatout_bin(), *map(str, words)], env=harness.environment(FLATOUT_HOME=home), capture_output=True, timeout=60)
    said = done.stdout + done.stderr
    assert said and not any(escape in said for escape in ESCAPES), (words, said)


def test_killed_it_harms_nothing(home, tmp_path):
    before = {path: path.stat().st_size for path in (home / "runs").rglob("log.flo")}
    with UiServer(home) as server:
        run = server.get("/runs", limit=1)["runs"][0]["id"]
        server.ask(f"/api/v1/runs/{run}", "PATCH", json.dumps({"tags": ["kept"]}))
        os.kill(server.process.pid, signal.SIGKILL)
    with UiServer(home) as server:
        assert server.get("/runs", query="tag(kept)")["matched"] == 1
        assert server.get("/runs")["total"] == 4
    assert {path: path.stat().st_size for path in (home / "runs").rglob("log.flo")} == before
    assert not list(home.glob("ui-*.html"))


def test_a_taken_port_is_said(home):
    with UiServer(home) as server:
        done = harness.run_plain([harness.flatout_bin(), "ui", "--home", home, "--no-open", "--port", server.port])
        assert done.code == 1 and b"is not available" in done.err
