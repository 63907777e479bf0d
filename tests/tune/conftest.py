import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import harness
import page_of

sys.path.insert(0, str(Path(__file__).resolve().parent))

PROGRAMS = Path(__file__).resolve().parent / "programs"
EAGER = ("batch.py", "says_settings.py", "train.py")  # compile nothing; each trial starts them anew
SCHEMA = json.loads((harness.ROOT / "schema" / "tune.schema.json").read_text())


class Tune:
    """`flatout tune` on a program of tests/tune/programs, copied to a folder of its own."""

    def __init__(self, tmp_path):
        self.folder = tmp_path / "work"
        self.folder.mkdir()
        self.home = tmp_path / "home"
        self.plan = tmp_path / "plan.toml"
        self.json = tmp_path / "tune.json"
        self.page = tmp_path / "tune.html"
        self.out = ""

    def command(self, program, *args):
        text = (PROGRAMS / program).read_text()
        if program in EAGER:  # on the line of the docstring, so that lines keep their numbers
            text = f"import sys; sys.path.append({str(harness.ROOT / 'tests')!r}); import eager; {text}"
        (self.folder / program).write_text(text)
        return [sys.executable, program, *map(str, args)]

    def words(self, *options):
        return [harness.flatout_bin(), "tune", "--plan", self.plan, "--json", self.json, "--html", self.page, *options]

    def env(self):
        return harness.environment(FLATOUT_HOME=self.home, OMP_NUM_THREADS=1)

    def __call__(self, command, *options, code=0, timeout=300):
        """The flatout.tune/1 document, held against its schema; None where none was written."""
        done = subprocess.run(
            [str(word) for word in [*self.words(*options), "--", *command]],
            env=self.env(), cwd=self.folder, capture_output=True, text=True, timeout=timeout,
        )
        self.out, self.err = done.stdout, done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        if not self.json.exists():
            return None
        document = json.loads(self.json.read_text(), parse_constant=pytest.fail)
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
        page_of.assert_shows(self.page.read_text(), document)
        return document

    def flatout(self, *words, timeout=120):
        return subprocess.run(
            [str(word) for word in [harness.flatout_bin(), *words]],
            env=self.env(), cwd=self.folder, capture_output=True, text=True, timeout=timeout,
        )


@pytest.fixture
def tune(tmp_path):
    return Tune(tmp_path)
