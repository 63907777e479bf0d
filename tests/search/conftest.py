import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import harness
import page_of

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "capi"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import build  # noqa: E402

PROGRAMS = Path(__file__).resolve().parent / "programs"
SCHEMA = json.loads((harness.ROOT / "schema" / "search.schema.json").read_text())


@pytest.fixture(scope="session")
def loop(tmp_path_factory):
    return build.program(PROGRAMS / "loop.c", tmp_path_factory.mktemp("loop"))


class Search:
    """`flatout search` in a folder of its own."""

    def __init__(self, tmp_path):
        self.folder = tmp_path / "work"
        self.folder.mkdir()
        self.home = tmp_path / "home"
        self.json = tmp_path / "search.json"
        self.page = tmp_path / "search.html"
        self.space = tmp_path / "space.toml"
        self.extra = {}

    def env(self):
        return harness.environment(FLATOUT_HOME=self.home, **self.extra)

    def words(self, space, command, *options):
        self.space.write_text(space)
        words = [harness.flatout_bin(), "search", self.space, "--json", self.json, "--html", self.page, *options, "--", *command]
        return [str(word) for word in words]

    def __call__(self, space, command, *options, code=0, timeout=200):
        """The flatout.search/1 document, held against its schema; None where none was written."""
        done = subprocess.run(
            self.words(space, command, *options),
            env=self.env(), cwd=self.folder, capture_output=True, text=True, timeout=timeout,
        )
        self.out, self.err = done.stdout, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return self.document()

    def document(self):
        if not self.json.exists():
            return None
        document = json.loads(self.json.read_text(), parse_constant=pytest.fail)
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        page_of.assert_shows(self.page.read_text(), document)
        return document

    def runs(self):
        return harness.runs(self.home)

    def leftovers(self):
        """What lies about where trials' files are kept."""
        return [entry.name for entry in self.home.iterdir() if entry.name.startswith("flatout-trials")]


@pytest.fixture
def search(tmp_path):
    return Search(tmp_path)


@pytest.fixture
def cpus():
    return len(os.sched_getaffinity(0))
