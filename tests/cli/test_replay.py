"""`run --replay RUN`: the devices and host figures of a recorded run, beside a
program that runs now; and that nobody can take them for measured ones."""

import re


def record(cli, *options, script="sleep 1.5"):
    done = cli("run", "--quiet", *options, "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    return cli.report()


def replayed(report):
    return [note for note in report.get("notes", []) if "replayed" in note]


def test_the_report_says_that_they_were_not_measured(cli):
    first = record(cli)
    assert not replayed(first)
    said = cli("run", "--replay", first["run"]["id"], "--", "sleep", "0.5")
    wanted = f"replayed from run {first['run']['id']}, not measured"
    assert said.returncode == 0
    assert said.stderr.decode().count(wanted) >= 1
    second = cli.report()
    assert len(replayed(second)) == 1 and wanted in replayed(second)[0]
    assert second["run"]["id"] != first["run"]["id"]


def test_by_latest_and_by_folder(cli):
    first = record(cli, script="exit 0")["run"]["id"]
    for reference in ("latest", cli.home / "runs" / first):
        done = cli("run", "--quiet", "--replay", reference, "--", "true")
        assert done.returncode == 0 and done.stderr == b""
        assert replayed(cli.report())


def test_a_run_that_is_not_there_starts_nothing(cli):
    for reference in ("zzzz", "./nowhere"):
        done = cli("run", "--replay", reference, "--", "touch", "started")
        assert done.returncode == 2
        assert re.fullmatch(rb"flatout: --replay: [^\n]+\n", done.stderr)
        assert not (cli.folder / "started").exists()
