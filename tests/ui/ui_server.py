"""`flatout ui` for the tests: started over a home, asked over HTTP, ended."""

import http.client
import json
import signal
import subprocess
import urllib.parse
from pathlib import Path

import harness


class UiServer:
    """One running `flatout ui`; a context manager."""

    def __init__(self, home: Path, *options: str):
        self.process = subprocess.Popen(
            [harness.flatout_bin(), "ui", "--home", home, "--no-open", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.environment(), text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        assert parts.port, self.process.communicate(timeout=10)[1]
        self.port = parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)

    def ask(self, path: str, method: str = "GET", body=None, token: bool = True, headers=None, timeout: float = 60):
        """(status, headers in lower case, body) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        every = {"Authorization": f"Bearer {self.token}"} if token else {}
        every.update(headers or {})
        connection.request(method, path, body=body, headers=every)
        response = connection.getresponse()
        found = (response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return found

    def get(self, path: str, **query):
        """The JSON of a request that must succeed."""
        if query:
            path += "?" + urllib.parse.urlencode(query, doseq=True)
        status, _, body = self.ask("/api/v1" + path)
        assert status == 200, (path, status, body[:500])
        return json.loads(body)

    def memory_bytes(self) -> int:
        """What it holds in memory."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")
