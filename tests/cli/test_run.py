"""`flatout run`: the program's end is flatout's end, and stdout is the program's."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import jsonschema
import pytest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schema" / "report.schema.json").read_text())


def run(cli, script, *options):
    return cli("run", *options, "--", "sh", "-c", script)


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_exit_code(cli, code):
    done = run(cli, f"exit {code}")
    assert done.returncode == code
    assert done.stdout == b""
    assert re.match(rb"flatout run [a-z2-7]{4,}: sh", done.stderr)
    report = cli.report()
    assert report["run"]["exit_code"] == code
    assert report["run"]["state"] == ("finished" if code == 0 else "failed")
    assert report["verdict"]["finding"] == ("no_steps" if code == 0 else "failed")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGINT"])
def test_dies_by_the_programs_signal(cli, name):
    done = run(cli, f"kill -{name[3:]} $$")
    assert done.returncode == -getattr(signal, name)
    run_facts = cli.report()["run"]
    assert (run_facts["state"], run_facts["signal"]) == ("killed", name)
    assert "exit_code" not in run_facts
    assert f"killed by {name}".encode() in done.stderr


def test_command_not_found(cli):
    done = cli("run", "--", "no-such-command-here")
    assert done.returncode == 127
    assert re.fullmatch(rb"flatout: [^\n]*no-such-command-here[^\n]*\n", done.stderr)
    assert cli.ids() == []


def test_command_not_executable(cli):
    (cli.folder / "data").write_text("x")
    done = cli("run", "./data")
    assert done.returncode == 126
    assert done.stderr.startswith(b"flatout: ") and done.stderr.count(b"\n") == 1


def test_bytes_pass_through(cli):
    payload = bytes(range(256)) * 2000
    done = cli("run", "--quiet", "cat", stdin=payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, payload, b"")


def test_arguments_pass_through(cli):
    done = cli("run", "--", "printf", "[%s]", "--name", "", "a b", "--", "-x")
    assert done.stdout == b"[--name][][a b][--][-x]"


def test_environment(cli):
    done = run(cli, 'echo "$FLATOUT_RUN $FLATOUT_RECORDER"', "--no-hooks")
    run_id, recorder = done.stdout.decode().split()
    assert cli.ids() == [run_id]
    assert re.fullmatch(r"\d+:\d+", recorder)


def test_report_is_one_page(cli):
    lines = run(cli, "exit 3").stderr.decode().splitlines()
    assert len(lines) <= 25 and all(len(line) <= 80 and line.isascii() for line in lines)
    assert any(line.startswith("FAILED: exit code 3") for line in lines)
    assert lines[-1].startswith("Full report: flatout report ")


def test_quiet_and_report_to(cli):
    assert run(cli, "exit 0", "--quiet").stderr == b""
    done = run(cli, "echo out; echo err >&2", "--report-to", "said.txt")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")
    assert (cli.folder / "said.txt").read_text().startswith("flatout run ")


def test_quiet_still_says_errors(cli):
    done = cli("run", "--quiet", "no-such-command-here")
    assert done.stderr.startswith(b"flatout: ")


def test_json_file_when_the_program_fails(cli):
    run(cli, "exit 9", "--json", "r.json", "--name", "base")
    report = json.loads((cli.folder / "r.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert (report["run"]["name"], report["run"]["exit_code"]) == ("base", 9)
    assert report["run"]["command"] == ["sh", "-c", "exit 9"]


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_report_that_cannot_be_written_is_refused_before_the_program_starts(cli, option):
    (cli.folder / "file").write_text("")
    (cli.folder / "folder").mkdir()
    for path, cause in (("nowhere/r", "mkdir -p nowhere"), ("file/r", "file is no folder"), ("folder", "it is a folder"), ("/proc/r", "cannot write")):
        done = run(cli, "touch started", option, path)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(f"flatout: {option}: cannot write {path}: ".encode()), done.stderr
        assert cause.encode() in done.stderr and done.stderr.count(b"\n") == 1
    assert cli.ids() == [] and sorted(p.name for p in cli.folder.iterdir()) == ["file", "folder"]


@pytest.mark.parametrize("option", ["--json", "--html", "--plan"])
@pytest.mark.parametrize("verb", [["tune"], ["search", "space.toml"]])
def test_so_are_those_of_trials(cli, verb, option):
    (cli.folder / "space.toml").write_text('[search]\nobjective = "samples_per_s"\nsteps = [20]\n[knobs]\n"dataloader.num_workers" = {values = [1, 2]}\n')
    done = cli(*verb, option, "nowhere/file", "--", "touch", "started")
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr == f"flatout: {option}: cannot write nowhere/file: there is no folder nowhere; make it first (mkdir -p nowhere) or name another file\n".encode()
    assert sorted(p.name for p in cli.folder.iterdir()) == ["space.toml"]


def test_what_is_no_file_is_written_as_before(cli):
    done = run(cli, "exit 4", "--quiet", "--json", "/dev/null")
    assert (done.returncode, done.stderr) == (4, b"")


def test_a_home_that_cannot_be_written_changes_nothing(cli):
    (cli.folder / "file").write_text("")
    done = run(cli, "echo hi; exit 5", "--home", str(cli.folder / "file" / "home"))
    assert (done.returncode, done.stdout) == (5, b"hi\n")
    assert done.stderr.count(b"flatout: ") == 1
    assert b"flatout run " in done.stderr


def test_nested_run_records_once(cli):
    binary = os.environ.get("FLATOUT_BIN", str(ROOT / "build/release/bin/flatout"))
    done = cli("run", "--", os.path.abspath(binary), "run", "--", "sh", "-c", "exit 6")
    assert done.returncode == 6
    assert len(cli.ids()) == 1
    assert done.stderr.count(b"flatout run ") == 1


def test_a_signal_to_flatout_reaches_the_program_once(cli):
    script = 'trap "echo TERM" TERM; touch ready; i=0; while [ $i -lt 40 ]; do sleep 0.05; i=$((i+1)); done'
    process = cli.start("run", "--quiet", "--", "sh", "-c", script, stdout=subprocess.PIPE)
    harness.wait_for((cli.folder / "ready").exists)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, b"TERM\n")


def test_ctrl_c_prints_the_report_and_ends_as_the_program_did(cli):
    # One process with the default action: a shell can lose a signal that comes while it starts its next command.
    program = "import pathlib, signal, time; signal.signal(2, signal.SIG_DFL); pathlib.Path('ready').touch(); time.sleep(30)"
    process = cli.start("run", "--", sys.executable, "-I", "-S", "-c", program, stderr=subprocess.PIPE, start_new_session=True)
    harness.wait_for((cli.folder / "ready").exists)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert b"killed by SIGINT" in err
    assert cli.report()["run"]["signal"] == "SIGINT"


def test_no_rings_are_left_behind(cli):
    run(cli, "exit 0")
    (run_id,) = cli.ids()
    assert not list(pathlib.Path("/dev/shm").glob(f"flatout-*-{run_id}"))


def test_secrets_are_not_stored(cli):
    cli("run", "--quiet", "--", "true", "--api-key", "hunter2hunter2")
    assert "hunter2hunter2" not in json.dumps(cli.report())


INJECTION = 'echo "[$CUDA_INJECTION64_PATH] [$FLATOUT_TRACE]"'


def traced(cli, *options, **extra):
    """What the program saw of the agent, what was said, and what the report says of the trace."""
    done = cli("run", "--json", "report.json", *options, "--", "sh", "-c", INJECTION, env=cli.env(**extra))
    assert done.returncode == 0
    report = json.loads((cli.folder / "report.json").read_text())
    jsonschema.validate(report, SCHEMA)
    return done.stdout.decode().strip(), done.stderr.decode(), report.get("trace")


def test_no_trace_unless_it_is_asked(cli):
    seen, said, trace = traced(cli)
    assert (seen, trace) == ("[] []", None) and "trace" not in said.lower()
    assert traced(cli, "--trace", "off")[0] == "[] []"


def test_a_trace_has_cuda_load_the_agent(cli):
    agent = harness.flatout_bin().resolve().parent.parent / "lib/flatout/libflatout_inject.so"
    seen, said, trace = traced(cli, "--trace", "windows")
    assert seen == f"[{agent}] [windows]"
    assert trace["state"] == "absent" and "no process of the run used CUDA" in trace["why"]
    assert "Traced   none: no process" in said


def test_a_trace_leaves_cupti_to_another_tool(cli):
    seen, said, trace = traced(cli, "--trace", "kernels", CUDA_INJECTION64_PATH="/opt/nsight/lib.so")
    assert seen == "[/opt/nsight/lib.so] []"
    assert said.count("no kernel trace: CUDA_INJECTION64_PATH has another tool loaded, /opt/nsight/lib.so") == 1
    assert trace["state"] == "absent" and "/opt/nsight/lib.so" in trace["why"]


def test_a_trace_without_hooks_is_none(cli):
    seen, said, trace = traced(cli, "--trace", "kernels", "--no-hooks")
    assert seen == "[] []" and "no kernel trace: flatout's hooks are not in the program" in said
    assert trace["state"] == "absent"
