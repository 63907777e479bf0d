"""What verbs write to a terminal, and into a page, holds no control character of a name or a path."""

import subprocess
import sys

import harness
import pytest
from PIL import Image

ESCAPES = "a\x1b[31m\x9b2J\x07b"
FAILS = "import sys; print(sys.argv[1], file=sys.stderr); sys.exit(sys.argv[1])"
VERBS = [
    ["doctor"], ["ls"], ["ls", "--format", "json"], ["ls", "--name", ESCAPES], ["show", "latest"], ["show", "latest", "--format", "json"],
    ["rm", "--older-than", "0s", "--dry-run"], ["rm", "no" + ESCAPES], ["report", "latest"], ["report", "no" + ESCAPES], ["report", "latest", "--format", "html"],
    ["compare", "latest", "latest"], ["compare", "latest", "no" + ESCAPES], ["export", "latest", "--out", "t" + ESCAPES], ["tag", "latest", ESCAPES], ["note", "latest", ESCAPES],
    ["accuracy"], ["run", "--name", ESCAPES, "--no-hooks", "--", "no" + ESCAPES], ["run", "--plan", "no" + ESCAPES, "--", "true"], ["run", "--no" + ESCAPES],
    ["tune", "--budget", "5s", "--", sys.executable, "-c", FAILS, ESCAPES], ["tune", "--knob", ESCAPES, "--", "true"], ["tune", "--knobs", ESCAPES, "--", "true"], ["tune", "--explain", ESCAPES],
    ["search", "no" + ESCAPES, "--", "true"], ["pack", "pictures" + ESCAPES, "packed" + ESCAPES], ["pack", "no" + ESCAPES, "packed"], ["bench", "data", "pictures" + ESCAPES],
]  # fmt: skip


def controls(text):
    return [one for one in text if ord(one) < 32 and one not in "\n\t" or 127 <= ord(one) < 160]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: " ".join(verb[:3]).replace(ESCAPES, "~").replace(sys.executable, "python"))
def test_no_control_character_reaches_the_terminal(cli, verb):
    home = cli.folder / ESCAPES
    env = {**cli.env(), "FLATOUT_HOME": str(home)}
    flatout = str(harness.flatout_bin())
    pictures = cli.folder / ("pictures" + ESCAPES) / ("class" + ESCAPES)
    pictures.mkdir(parents=True)
    Image.new("RGB", (16, 16)).save(pictures / "good.jpg")
    (pictures / (ESCAPES + ".jpg")).write_bytes(b"no picture")
    first = [flatout, "run", "--quiet", "--no-hooks", "--name", ESCAPES, "--", sys.executable, "-c", FAILS, ESCAPES]
    subprocess.run(first, env=env, timeout=60, capture_output=True)
    done = subprocess.run([flatout, *verb], env=env, cwd=cli.folder, capture_output=True, timeout=120)
    text = (done.stdout + done.stderr).decode()
    if verb[0] not in ("tag", "note"):  # these say nothing
        assert len(text) > 20
    assert controls(text) == [], text


def test_a_page_holds_names_as_text(cli):
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\""
    flatout, env = str(harness.flatout_bin()), cli.env()
    subprocess.run([flatout, "run", "--quiet", "--no-hooks", "--name", name, "--", sys.executable, "-c", FAILS, name], env=env, timeout=60, capture_output=True)
    done = subprocess.run([flatout, "report", "latest", "--format", "html"], env=env, capture_output=True, timeout=60)
    page = done.stdout.decode()
    assert "alert(1)" in page
    assert "<script>alert" not in page and "<img src=x" not in page and "</script><script>alert" not in page
