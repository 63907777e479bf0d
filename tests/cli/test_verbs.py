"""ls, report, rm, doctor, and what is refused."""

import os
import re
import signal
import subprocess
import time

import harness
import pytest


def record(cli, *options, script="exit 0"):
    cli("run", "--quiet", *options, "--", "sh", "-c", script)
    return cli.report()["run"]["id"]


def running(cli):
    process = cli.start("run", "--quiet", "--", "sh", "-c", "touch ready; sleep 30; :", start_new_session=True)
    harness.wait_for(lambda: (cli.folder / "ready").exists() and list((cli.home / "runs").glob("*/log.flo")))
    time.sleep(0.15)  # one tick at 10 Hz: the first is then on disk
    return process


def test_ls(cli):
    empty = cli("ls")
    assert (empty.returncode, empty.stdout) == (0, b"")
    assert b"no runs" in empty.stderr
    first = record(cli, "--name", "base", script="exit 3")
    second = record(cli)
    lines = cli("ls").stdout.decode().splitlines()
    assert lines[0].split() == [
        "id", "name", "state", "started", "duration", "size", "verdict", "tags", "command",
    ]
    assert [line.split()[0] for line in lines[1:]] == [second, first]
    assert lines[2].split()[1:3] == ["base", "failed"] and lines[2].endswith("sh -c exit 3")


def test_report_by_id_name_and_latest(cli):
    run_id = record(cli, "--name", "base")
    for reference in (run_id, "base", "latest"):
        done = cli("report", reference)
        assert done.returncode == 0 and done.stderr == b""
        assert done.stdout.decode().startswith(f"flatout run {run_id} (base): sh")


def test_report_without_a_run_is_of_the_latest(cli):
    record(cli)
    run_id = record(cli, "--name", "base")
    assert cli("report").stdout == cli("report", "latest").stdout
    assert cli("report").stdout.decode().startswith(f"flatout run {run_id} (base)")


@pytest.mark.parametrize(
    "args, meant",
    [
        (("reprot",), "did you mean flatout report?"),
        (("ls", "--stat", "failed"), "did you mean --state?"),
        (("run", "--nam", "x", "--", "true"), "did you mean --name?"),
        (("report", "basline"), "did you mean 'baseline'?"),
        (("rm", "latst"), "did you mean 'latest'?"),
        (("python", "train.py"), "flatout run -- CMD"),
    ],
)
def test_did_you_mean(cli, args, meant):
    record(cli, "--name", "baseline")
    done = cli(*args)
    assert done.returncode in (1, 2) and done.stdout == b""
    assert meant in done.stderr.decode() and done.stderr.count(b"\n") == 1, done.stderr


def test_report_says_what_run_said(cli):
    said = cli("run", "--", "sh", "-c", "exit 3").stderr
    assert cli("report", "latest").stdout == said


def test_report_of_nothing(cli):
    for args in (("report", "latest"), ("report", "zzzz"), ("rm", "zzzz")):
        done = cli(*args)
        assert done.returncode == 1
        assert re.fullmatch(rb"flatout: [^\n]+\n", done.stderr)


@pytest.mark.parametrize(
    "verb",
    ["ls", "show latest", "report latest", "compare latest latest", "tag latest a", "note latest b", "export latest"],
)
def test_an_answer_that_cannot_be_written_is_an_error(cli, verb):
    record(cli)
    with open("/dev/full", "wb") as full:
        done = cli.start(*verb.split(), stdout=full, stderr=subprocess.PIPE)
        problem = done.communicate(timeout=60)[1].decode()
    assert done.returncode == 1
    assert problem.count("\n") == 1 and "stdout" in problem and problem.startswith("flatout: ")


def test_rm(cli):
    first, second = record(cli), record(cli)
    done = cli("rm", first, "zzzz")
    assert done.returncode == 1 and done.stdout.decode() == f"removed {first}\n"
    assert cli.ids() == [second]
    refused = cli("rm", second[:3])
    assert refused.returncode == 1 and f"flatout rm {second}".encode() in refused.stderr
    assert cli.ids() == [second]
    assert cli("rm", "latest").returncode == 0
    assert cli.ids() == []


def test_while_it_runs(cli):
    process = running(cli)
    try:
        report = cli.report()
        assert report["run"]["state"] == "running"
        assert "still running" in cli("report", "latest").stdout.decode()
        (run_id,) = cli.ids()
        refused = cli("rm", run_id)
        assert refused.returncode == 1 and cli.ids() == [run_id]
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)
    assert cli.report()["run"]["signal"] == "SIGTERM"


def test_after_flatout_was_killed(cli):
    process = running(cli)
    process.kill()
    process.wait(timeout=30)
    try:
        report = cli.report()["run"]
        assert report["state"] == "lost"
        assert report["survivors"], "the program lives on"
        assert "exit_code" not in report and "signal" not in report
        assert "lost: flatout ended" in cli("report", "latest").stdout.decode()
    finally:
        os.killpg(process.pid, signal.SIGKILL)


def test_doctor(cli):
    done = cli("doctor")
    text = done.stdout.decode()
    assert text.startswith("flatout ")
    for name in ("CPUs", "memory", "PSI", "home", "rings", "hooks", "python", "GPU"):
        assert re.search(rf"^  (ok|--|NO)  {name} ", text, re.M), text
    assert (done.returncode == 0) == ("  NO  " not in text)
    assert str(cli.home) in text


def test_doctor_sees_a_home_that_cannot_be_written(cli):
    (cli.folder / "file").write_text("")
    done = cli("doctor", "--home", cli.folder / "file" / "home")
    assert done.returncode == 1 and b"  NO  home " in done.stdout


def test_version_and_help(cli):
    assert re.fullmatch(rb"flatout \d+\.\d+\.\d+\n", cli("--version").stdout)
    assert b"--stop-after" in cli("run", "--help").stdout
    assert cli("--help").returncode == 0


@pytest.mark.parametrize(
    "args",
    [
        ("rum", "x"),
        ("run",),
        ("run", "--nmae", "x", "true"),
        ("run", "--rate", "fast", "true"),
        ("run", "--stop-after", "-3", "true"),
        ("show",),
        ("report", "latest", "--format", "xml"),
        ("completions", "csh"),
        ("ls", "extra"),
        ("--bogus",),
    ],
)
def test_bad_command_lines(cli, args):
    done = cli(*args)
    assert done.returncode == 2
    assert done.stdout == b""
    assert re.fullmatch(rb"flatout: [^\n]+\n", done.stderr), done.stderr
