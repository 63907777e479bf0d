"""Completions as the shells themselves make them, and the manual page as man shows it."""

import os
import shutil
import subprocess

import harness
import pytest

from test_verbs import record


def bash(cli, line):
    """What bash offers at the end of `line`."""
    script = 'eval "$(flatout completions bash)"; COMP_LINE=$1; read -ra COMP_WORDS <<< "$1"; [[ $1 == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compopt() { :; }; _flatout; printf "%s\\n" "${COMPREPLY[@]}"'
    env = cli.env(PATH=f"{harness.flatout_bin().parent}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "--norc", "-c", script, "bash", line], env=env, cwd=cli.folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def test_bash_completes_verbs_options_and_values(cli):
    assert bash(cli, "flatout re") == ["report"]
    assert {"run", "tune", "completions", "--help"} <= set(bash(cli, "flatout "))
    assert "bench-engine" not in bash(cli, "flatout "), "what only flatout starts"
    assert bash(cli, "flatout ls --st") == ["--state"]
    assert bash(cli, "flatout ls --state f") == ["finished", "failed"]
    assert bash(cli, "flatout report x --format h") == ["html"]
    assert bash(cli, "flatout report x -f j") == ["json"]
    assert bash(cli, "flatout completions ") == ["bash", "zsh", "fish"]
    assert bash(cli, "flatout help comp") == ["compare", "completions"]


def test_bash_completes_runs_and_files(cli):
    run_id = record(cli)
    assert sorted(bash(cli, "flatout report ")) == sorted(["latest", run_id])
    assert bash(cli, "flatout rm la") == ["latest"]
    (cli.folder / "plan-a.toml").write_text("")
    (cli.folder / "folder-b").mkdir()
    assert bash(cli, "flatout run --plan pl") == ["plan-a.toml"]
    assert bash(cli, "flatout ls --home fol") == ["folder-b"]
    assert bash(cli, "flatout ls --home pl") == []


def test_bash_leaves_the_programs_own_words_to_it(cli):
    (cli.folder / "train.py").write_text("")
    assert bash(cli, "flatout run -- python tr") == ["train.py"]
    assert bash(cli, "flatout run --name a python tr") == ["train.py"]
    assert "--name" not in bash(cli, "flatout run -- python --na"), "an option of the program"
    assert bash(cli, "flatout run --na") == ["--name"]
    assert "bash" in bash(cli, "flatout run -- bas")
    (cli.folder / "space.toml").write_text("")
    assert bash(cli, "flatout search spa") == ["space.toml"]
    assert bash(cli, "flatout search space.toml --slo") == ["--slots"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_what_is_for_other_shells(cli, shell):
    text = cli("completions", shell).stdout.decode()
    for part in ("older-than", "changes_training", "latest"):
        assert part in text
    assert "\x1b" not in text
    # Quotes that do not close are what breaks such a file first.
    assert all(line.replace("\\'", "").replace("'\\''", "").count("'") % 2 == 0 for line in text.splitlines() if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_theirs(cli, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed: that it reads its completions is not seen here")
    file = cli.folder / "completions"
    file.write_bytes(cli("completions", shell).stdout)
    done = subprocess.run([program, "-n", file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_manual_page(cli):
    page = cli("manual").stdout.decode()
    assert page.splitlines()[1].startswith(".TH FLATOUT 1 ")
    for part in (".SH NAME", ".SH RUN", ".SH COMPLETIONS", "\\fB\\-\\-older\\-than\\fR", "\\fB\\-n\\fR, \\fB\\-\\-name\\fR \\fINAME\\fR"):
        assert part in page, part
    assert page.count(".nf\n") == page.count(".fi\n")


def test_the_manual_page_as_man_shows_it(cli):
    if not (shutil.which("man") and shutil.which("groff")):
        pytest.skip("man or groff is not installed")
    (cli.folder / "flatout.1").write_bytes(cli("manual").stdout)
    env = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(["man", "-l", "--warnings", str(cli.folder / "flatout.1")], env=env, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    if "has been minimized" in done.stdout + done.stderr:
        pytest.skip("man of this container shows no pages: its system has been minimized")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "--older-than AGE" in done.stdout and "flatout run -- python train.py" in done.stdout
