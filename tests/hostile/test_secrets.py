"""No spelling of a secret is in any byte that flatout stores, prints or exports."""

import random
import string
import subprocess
import sys

import harness
import pytest
from spellings import INNOCENT, INSIDE, NAMED, PREFIXES


def body(draws, size=40):
    """Capitals, small letters and digits, as in a key; found again by itself."""
    letters = string.ascii_letters + string.digits
    return "A1b" + "".join(draws.choice(letters) for _ in range(size - 3))


def spelled():
    """[(argv, secret)]: `@` is a blank within one argument."""
    draws = random.Random(1)
    out = []
    for text in NAMED:
        # Short and plain: only the name gives it away.
        secret = "zq" + "".join(draws.choice(string.ascii_lowercase) for _ in range(6))
        out.append(([word.replace("@", " ") if "://" not in word else word for word in text.replace("{S}", secret).split(" ")], secret))
    for number, prefix in enumerate(PREFIXES):
        key = prefix + (body(draws).upper() if prefix in ("AKIA", "ASIA") else body(draws))
        out.append(([INSIDE[number % len(INSIDE)].replace("{K}", key)], key[len(prefix) :]))
    for program in ("mysql", "/usr/bin/mysqldump"):
        secret = "zqglued" + str(draws.randrange(10**6))
        out.append(([program, "-p" + secret], secret))
    for text in ("curl -u me:{S} https://h", "PGPASSWORD={S} psql -h x", "x --wandb_key {S} --lr 1", "mysql -p{S} db"):
        secret = "zqshell" + str(draws.randrange(10**6))
        out.append((["sh", "-c", text.replace("{S}", secret)], secret))
    pem = "-----BEGIN PRIVATE KEY-----\n" + body(draws) + "\n-----END PRIVATE KEY-----"
    out.append(([pem], pem.splitlines()[1]))
    return out


def stored(home):
    return [(file, file.read_bytes()) for file in home.rglob("*") if file.is_file()]


def record(tmp_path, arguments, **env):
    """All bytes that a run of `true ARGUMENTS...` leaves: the store, the report in three forms, the list, the tables."""
    home = tmp_path / "home"
    full = harness.environment(FLATOUT_HOME=home, **env)
    command = ["run", "--no-hooks", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html"]
    done = subprocess.run([str(a) for a in [harness.flatout_bin(), *command, *arguments]], env=full, capture_output=True)
    assert done.returncode == 0, done.stderr
    out = [("stderr", done.stderr)]
    for verb in (["ls"], ["report", "latest"], ["show", "latest"], ["export", "latest", "--out", tmp_path / "t"]):
        done = subprocess.run([str(a) for a in [harness.flatout_bin(), *verb]], env=full, capture_output=True)
        out.append((verb[0], done.stdout))
    return out + stored(tmp_path)


def test_no_spelling_is_stored(flatout, tmp_path):
    table = spelled()
    assert len(table) >= 87
    found = set()
    for form in ("on", "off"):  # as a sealed file, and as a log
        arguments = ["--", "true", *[word for argv, _ in table for word in argv]]
        for where, data in record(tmp_path / form, arguments, FLATOUT_SEAL=form):
            found |= {(" ".join(argv), str(where)) for argv, secret in table if secret.encode() in data}
    assert not found


def test_what_is_no_secret_is_kept(flatout, tmp_path):
    record(tmp_path, ["--", "true", *INNOCENT])
    command = harness.report_of(tmp_path / "home")["run"]["command"]
    assert [word for word in INNOCENT if word not in command] == []


def test_no_argv_keeps_none(flatout, tmp_path):
    seen = [where for where, data in record(tmp_path, ["--no-argv", "--", "true", "plainword77"]) if b"plainword77" in data]
    assert seen == []
    assert harness.report_of(tmp_path / "home")["run"]["command"] == ["true"]


SPACE = """
[search]
trials = 2
[arguments]
"--lr" = {values = [1, 2]}
"""


@pytest.mark.parametrize("verb", ["tune", "search"])
def test_no_argv_of_trials(flatout, tmp_path, verb):
    """Neither their runs nor a journal, a job or what is left of one."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/space.toml").write_text(SPACE)
    words = ["tune"] if verb == "tune" else ["search", "space.toml"]
    command = [harness.flatout_bin(), *words, "--no-argv", "--", "sh", "-c", "exit 3", "plainword77"]
    done = subprocess.run([str(word) for word in command], env=harness.environment(FLATOUT_HOME=tmp_path / "home"), capture_output=True, cwd=tmp_path / "work")
    kept = stored(tmp_path)
    assert [file for file, _ in kept if "runs" in file.parts], done.stderr
    assert [file for file, data in kept if b"plainword77" in data] == []


FAILS = """
import torch
layer = torch.nn.Linear(2, 2)
layer(torch.ones(1, 2)).sum().backward()
torch.optim.SGD(layer.parameters(), lr=0.1).step()
raise RuntimeError(%r)
"""


def test_the_message_of_an_error_keeps_no_secret(flatout, tmp_path):
    secret = "zqmessage73516"
    message = f"no connection to https://me:{secret}@host/x?token={secret} with PGPASSWORD={secret} --api-key {secret}, expected token at 7"
    (tmp_path / "train.py").write_text(FAILS % message)
    home = tmp_path / "home"
    full = harness.environment(FLATOUT_HOME=home)
    done = subprocess.run([harness.flatout_bin(), "run", "--html", tmp_path / "r.html", "--", sys.executable, tmp_path / "train.py"],
                          env=full, capture_output=True)
    assert done.returncode == 1 and secret.encode() in done.stderr, "the program's own traceback is its own"
    report = harness.report_of(home)
    assert report["failure"]["message"].endswith("expected token at 7"), report["failure"]
    assert report["failure"]["message"].startswith("no connection to https://")
    seen = [str(where) for where, data in stored(tmp_path) if secret.encode() in data]
    assert seen == [str(tmp_path / "train.py")]


def test_a_plans_value_that_is_called_like_a_secret_is_not_stored(flatout, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[knobs]\n[[knob]]\nname = "key"\nvalue = "zqplanvalue42"\nenvironment = "MY_API_KEY={}"\n')
    seen = [str(where) for where, data in record(tmp_path / "run", ["--plan", plan, "--allow-env", "MY_API_KEY", "--", "true"]) if b"zqplanvalue42" in data]
    assert seen == []
