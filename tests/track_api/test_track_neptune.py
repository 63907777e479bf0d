"""flatout.track.neptune: namespaces, series, files, several processes and stages in one run."""

import os

import pytest


@pytest.fixture
def neptune(kept, monkeypatch):
    for name in ("CUSTOM_RUN_ID", "MODE", "PROJECT", "MONITORING_NAMESPACE"):
        monkeypatch.delenv("NEPTUNE_" + name, raising=False)
    import flatout.track.neptune

    return flatout.track.neptune


def merged(kept, key):
    out = {}
    for fact in kept.facts(key):
        out.update(fact["set"])
    return out


def test_fields_series_and_namespaces(neptune, kept, capfd):
    run = neptune.init_run(project="me/digits", name="first", tags=["a"], nonsense=1, async_lag_threshold=3)
    run["parameters"] = {"lr": 0.1, "model": {"depth": 18}}
    run["test/acc"] = 0.9
    run["train/loss"].append(0.5)
    run["train/loss"].append(0.25, step=10)
    run["train/loss"].append(0.2)
    run["train"]["acc"].extend([1, 2], steps=[3, 4])
    run["train"].append({"f1": 0.3, "said": "hello"})
    run["val/loss"].log([0.7, 0.6])
    run["sys/tags"].add(["b", "a"])
    run["sys/tags"].remove("a")
    (first, *_, last) = kept.facts("track_run")
    assert (first["source"], first["project"], first["name"], first["tags"]) == ("neptune", "me/digits", "first", ["a"]) and last["tags"] == ["b"]
    assert merged(kept, "track_config") == {"parameters": {"lr": 0.1, "model": {"depth": 18}}}
    assert merged(kept, "track_summary") == {"test/acc": 0.9}
    assert kept.values("train/loss") == [(0, 0.5), (10, 0.25), (11, 0.2)] and kept.values("train/acc") == [(3, 1), (4, 2)]
    assert kept.values("train/f1") == [(0, 0.3)] and kept.values("val/loss") == [(0, 0.7), (1, 0.6)]
    assert kept.facts("track_row")[0]["data"] == {"train/said": "hello"}
    assert run["train/loss"].fetch_last() == 0.2 and run["parameters/lr"].fetch() == 0.1 and run.exists("train")
    assert run["parameters"].fetch()["model/depth"] == 18 and run["sys/id"].fetch()
    with pytest.raises(neptune.MissingFieldException):
        run["absent"].fetch()
    del run["parameters/lr"]
    assert kept.facts("track_config")[-1]["remove"] == ["parameters.lr"]
    run.stop()
    run.stop()
    run["late"] = 1
    assert len(kept.facts("track_end")) == 1
    assert capfd.readouterr().err.count("is not known") == 1


def test_files(neptune, kept, tmp_path):
    (tmp_path / "a.txt").write_text("one")
    run = neptune.init_run(source_files="*.txt")
    run["notes"].upload(neptune.File.from_content("text"))
    run["model"].upload("a.txt")
    run["picture"].upload(neptune.File.as_image([[0, 255]]))
    run["all"].upload_files("*.txt")
    run["series"].append(neptune.File.as_image([[0, 255]]))
    run["table"] = neptune.File.as_html("<table>")
    run["absent"].upload("none.txt")
    paths = [fact["path"] for fact in kept.facts("track_file")]
    assert paths == ["source_code/files/a.txt", "notes", "model", "picture", "all/a.txt", "table"]
    assert kept.facts("track_row")[0]["data"]["series"]["_type"] == "image"


def test_stages_and_processes_in_one_run(neptune, kept, monkeypatch):
    monkeypatch.setenv("NEPTUNE_CUSTOM_RUN_ID", "night-7")
    first = neptune.init_run()
    first["train/loss"].append(1)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            before = len(kept.entries)
            second = neptune.init_run(monitoring_namespace="monitoring/eval")
            second["eval/acc"].append(0.5)
            second.stop()
            (fact,) = kept.facts("track_run", before)
            code = 0 if (fact["id"], fact["namespace"]) == ("night-7", "monitoring/eval") else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    third = neptune.init_run(with_id="night-7")
    third["test/acc"].append(0.7)
    ids = [(fact["id"], fact["resumed"]) for fact in kept.facts("track_run")]
    assert ids == [("night-7", True)] * 2 and kept.facts("track_run")[0]["namespace"].startswith("monitoring/")
    assert {track for kind, track, *_ in kept.entries if kind == "value"} == {0, 1}


def test_with_marks_a_failed_run(neptune, kept):
    with pytest.raises(ZeroDivisionError), neptune.init_run():
        1 / 0
    with pytest.raises(ZeroDivisionError), neptune.init_run(fail_on_exception=False):
        1 / 0
    assert [fact["exit_code"] for fact in kept.facts("track_end")] == [1, 0]


def test_hostile_paths_and_values(neptune, kept):
    run = neptune.init_run(mode="offline")
    cycle = {}
    cycle["c"] = cycle
    for path in ("", "/", "a//b", b"\xff", 3, None, "x" * 5000):
        for value in (1, "t", cycle, object(), float("nan"), [1], b"\xff"):
            run[path] = value
            run[path].append(value)
            run[path].upload(value)
    run["a"].extend({"b": [1], "c": [2]})
    assert kept.values("a/b") == [(0, 1)]
    for mode in ("debug", "read-only"):
        neptune.init_run(mode=mode)["a"].append(1)


def test_what_needs_neptunes_server_says_so(neptune, kept):
    from flatout.track import UsageError

    run = neptune.init_run()
    for call in (neptune.init_project, neptune.init_model, run.fetch_runs_table, run["a"].fetch_values):
        with pytest.raises(UsageError, match="flatout"):
            call()
