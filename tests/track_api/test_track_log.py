"""init, log, finish of flatout.track: what is recorded, and what costs a line instead of an exception."""

import gc
import math
import os
import pickle
import threading
import weakref

import numpy
import pytest
import torch

ARGUMENTS = {
    "entity": "me", "project": "digits", "dir": "place", "id": "abc", "name": "first", "notes": "n", "tags": ["a", "b"], "config": {"lr": 0.1},
    "config_exclude_keys": ["x"], "config_include_keys": None, "allow_val_change": True, "group": "g", "job_type": "train", "mode": "online",
    "force": True, "reinit": "create_new", "resume": "allow", "resume_from": None, "fork_from": None, "save_code": False, "tensorboard": False,
    "sync_tensorboard": True, "monitor_gym": True, "settings": {"x_label": "rank0", "start_method": "thread"}, "anonymous": "allow",
}


def test_init_takes_all_arguments_and_unknown_ones(wandb, kept, capfd):
    run = wandb.init(**ARGUMENTS, nonsense=3)
    (fact,) = kept.facts("track_run")
    assert {key: fact[key] for key in ("id", "project", "entity", "name", "group", "job_type", "tags", "notes", "namespace", "resumed", "mode")} == {
        "id": "abc", "project": "digits", "entity": "me", "name": "first", "group": "g", "job_type": "train", "tags": ["a", "b"], "notes": "n",
        "namespace": "rank0", "resumed": True, "mode": "online"}
    assert (run.id, run.project, run.name, run.tags, run.path) == ("abc", "digits", "first", ("a", "b"), "me/digits/abc")
    said = capfd.readouterr().err
    assert "nonsense" in said and "sync_tensorboard" in said and "monitor_gym" in said


@pytest.mark.parametrize("argument", sorted(ARGUMENTS))
@pytest.mark.parametrize("hostile", [object(), b"\xff", 3.5, {"a": {1}}, float("nan")], ids=["object", "bytes", "float", "dict", "nan"])
def test_no_argument_makes_init_raise(wandb, argument, hostile):
    wandb.init(**{argument: hostile}).finish()
    wandb.finish()


def test_environment_says_what_arguments_do_not(wandb, kept, monkeypatch):
    for name, value in {"PROJECT": "p", "ENTITY": "e", "NAME": "n", "NOTES": "no", "TAGS": "x,y", "RUN_ID": "id7", "RUN_GROUP": "g", "JOB_TYPE": "j",
                        "RESUME": "allow"}.items():
        monkeypatch.setenv("WANDB_" + name, value)
    wandb.init(name="argument")
    (fact,) = kept.facts("track_run")
    assert (fact["project"], fact["entity"], fact["name"], fact["notes"], fact["tags"]) == ("p", "e", "argument", "no", ["x", "y"])
    assert (fact["id"], fact["group"], fact["job_type"], fact["resumed"]) == ("id7", "g", "j", True)


@pytest.mark.parametrize("variable,value", [("WANDB_MODE", "disabled"), ("WANDB_DISABLED", "true")])
def test_disabled_keeps_nothing_and_does_everything(wandb, kept, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    run = wandb.init(config={"a": 1})
    wandb.log({"x": 1.0, "t": "text"})
    wandb.log({"y": 1.0}, step=3)
    wandb.define_metric("x")
    wandb.alert("a", "b")
    wandb.save("*")
    wandb.log_artifact(wandb.Artifact("a", "b"))
    assert wandb.config.a == 1 and wandb.summary["x"] == 1.0 and run.disabled
    wandb.finish()
    assert kept.entries == []


def test_silence(wandb, monkeypatch, capfd):
    monkeypatch.setenv("WANDB_SILENT", "true")
    wandb.init(nonsense=1).finish()
    assert capfd.readouterr() == ("", "")


def test_steps_are_those_of_wandb(wandb, kept, capfd):
    run = wandb.init()
    wandb.log({"a": 1})
    wandb.log({"a": 2}, commit=False)
    wandb.log({"b": 2})
    wandb.log({"a": 3}, step=7)
    wandb.log({"b": 3}, step=7)
    wandb.log({"c": 3})  # joins step 7 and closes it
    wandb.log({"a": 4})
    wandb.log({"a": 5}, step=10, commit=True)
    wandb.log({"a": 6})
    assert kept.values("a") == [(0, 1), (1, 2), (7, 3), (8, 4), (10, 5), (11, 6)]
    assert kept.values("b") == [(1, 2), (7, 3)] and kept.values("c") == [(7, 3)]
    assert run.step == 12


def test_a_lower_step_is_kept_where_it_is_and_said_once(wandb, kept, capfd):
    run = wandb.init()
    wandb.log({"a": 1}, step=5)
    wandb.log({"a": 2}, step=2)
    wandb.log({"a": 3}, step=3)
    wandb.log({"a": 4})
    assert kept.values("a") == [(5, 1), (2, 2), (3, 3), (5, 4)]
    assert capfd.readouterr().err.count("after step") == 1 and run.step == 6


@pytest.mark.parametrize("step", ["3", None, math.nan, math.inf, object(), 1 << 80, [1]], ids=lambda one: type(one).__name__)
def test_a_step_that_is_none(wandb, kept, step):
    wandb.init()
    wandb.log({"a": 1}, step=step)
    assert kept.values("a") == [(0, 1)]


def test_nested_and_other_values(wandb, kept):
    wandb.init()
    wandb.log({"a": {"b": {"c": 1}}, "flag": True, "n": numpy.float32(0.5), "one": numpy.array([3]), "text": "hi", "nothing": None, "list": [1, "x"]})
    assert dict((key, value) for key, _, value in kept.values()) == {"a.b.c": 1, "flag": 1, "n": 0.5, "one": 3}
    assert kept.facts("track_row") == [{"track": 0, "step": 0, "data": {"text": "hi", "list": [1, "x"]}}]


def test_hostile_values_cost_a_line_at_most(wandb, kept):
    class Angry:
        def __float__(self):
            raise RuntimeError("no")

        __str__ = __repr__ = __float__
        shape = property(__float__)

    class Liar(dict):
        def items(self):
            raise RuntimeError("no")

        values = __iter__ = keys = items

    cycle = []
    cycle.append(cycle)
    deep = {}
    for _ in range(200):
        deep = {"d": deep}
    wandb.init()
    for value in (Angry(), lambda: 0, cycle, deep, b"\xff\0", 10 ** 400, "x" * 3_000_000, "\ud800", threading.Lock(), math.nan, 1j, {1, 2}, object):
        wandb.log({"v": value})
        wandb.config.v = value
        wandb.summary["v"] = value
    for data in (None, 3, "text", [("a", 1)], Liar(), {b"\xff": 1, 3: 2, None: 3, "": 4, "x" * 5000: 5}):
        wandb.log(data)
    wandb.log({"fine": 1})
    assert kept.values("fine")
    assert kept.values("3") == [(wandb.run.step - 2, 2)]
    assert all(len(str(entry)) < 3_000_000 for entry in kept.entries)


def test_a_logged_tensor_is_not_kept_alive(wandb, kept):
    wandb.init()
    loss = (torch.ones(3, requires_grad=True) * 2).sum()
    gone = weakref.ref(loss)
    wandb.log({"loss": loss, "row": torch.ones(4)})
    assert kept.values("loss") == [(0, 6.0)] and wandb.summary["loss"] == 6.0
    del loss
    gc.collect()
    assert gone() is None


def test_with_marks_a_failed_run(wandb, kept):
    with pytest.raises(ZeroDivisionError), wandb.init():
        1 / 0
    with wandb.init():
        pass
    assert [fact["exit_code"] for fact in kept.facts("track_end")] == [1, 0] and wandb.run is None


def test_before_init_after_finish_and_twice(wandb, kept, capfd):
    for call in (lambda: wandb.log({}), lambda: wandb.config.a, lambda: wandb.summary["a"], lambda: wandb.save("x"), lambda: wandb.config.update({})):
        with pytest.raises(wandb.Error):
            call()
    run = wandb.init()
    run.finish()
    run.finish()
    entries = len(kept.entries)
    run.log({"a": 1})
    run.log({"a": "x"}, step=3)
    run.config.b = 1
    run.summary["c"] = 1
    wandb.log({"a": 1})  # the module's, too: wandb raises here, which would end a training after all its work
    wandb.log({"a": "x"}, step=4)
    wandb.alert("t", "x")
    wandb.config.update({"d": 1}, allow_val_change=True)
    wandb.summary["e"] = 1
    wandb.define_metric("f")
    assert wandb.run is None
    assert len(kept.entries) == entries and len(kept.facts("track_end")) == 1
    assert capfd.readouterr().err.count("is finished") == 1
    wandb.finish()


def test_init_twice(wandb, kept, capfd):
    first = wandb.init()
    assert wandb.init(config={"a": 1}) is first and first.config.a == 1 and "open already" in capfd.readouterr().err
    third = wandb.init(reinit=True)
    assert third is not first and first._finished and wandb.run is third
    fourth = wandb.init(reinit="create_new")
    assert wandb.run is third and not third._finished
    fourth.log({"x": 1})
    third.log({"x": 2})
    assert kept.entries[-2:] == [("value", fourth._track, 0, "x", 1.0), ("value", third._track, 0, "x", 2.0)]
    closes = [entry for entry in kept.entries if entry[0] == "close"]
    fourth.finish()
    assert [entry for entry in kept.entries if entry[0] == "close"] == closes  # the recording ends with the last run
    third.finish()
    assert len([entry for entry in kept.entries if entry[0] == "close"]) == len(closes) + 1


def test_name_tags_notes_change_later(wandb, kept):
    run = wandb.init()
    run.name, run.notes = "later", "text"
    run.tags = run.tags + ("x",)
    last = kept.facts("track_run")[-1]
    assert (last["name"], last["notes"], last["tags"]) == ("later", "text", ["x"])


def test_resume_id_and_ids(wandb, kept):
    import random

    random.seed(1)
    before = random.getstate()
    one, two = wandb.init(reinit=True), wandb.init(reinit="create_new")
    assert one.id != two.id and len(one.id) == 8 and random.getstate() == before
    assert not one.resumed
    assert wandb.init(id="a/b c", resume=True, reinit=True).id == "a-b-c"
    assert wandb.init(resume_from="old?_step=7", reinit=True).id == "old"
    assert {"resumed": True, "branch": "rewind", "from": "old", "from_step": 7}.items() <= kept.facts("track_run")[-1].items()


def test_forks_and_rewinds_that_say_too_much_or_too_little(wandb, kept, capsys):
    """None of them raises: what is meant is taken, and a line said."""
    def branch(**asked):
        run = wandb.init(reinit=True, **asked)
        fact = kept.facts("track_run")[-1]
        return run.id, run.step, fact.get("branch"), fact.get("from"), fact.get("from_step")

    assert branch(fork_from="ancient?_step=7", id="new") == ("new", 8, "fork", "ancient", 7)
    assert branch(fork_from="ancient", id="new") == ("new", 0, "fork", "ancient", None)
    assert branch(fork_from="ancient?_step=x", id="new")[2:] == ("fork", "ancient", None)
    assert branch(fork_from="same?_step=3", id="same") == ("same", 4, "rewind", "same", 3)
    assert branch(resume_from="ancient?_step=3", id="other")[:3] == ("ancient", 4, "rewind")  # as wandb, which lets it win
    assert branch(fork_from="ancient?_step=3", resume="allow", id="new")[1:3] == (0, None)
    assert branch(fork_from="?_step=3")[2] is None
    assert branch(fork_from="a?_step=3", resume_from="b?_step=4")[:3] == ("b", 5, "rewind")
    said = capsys.readouterr().err
    assert "is no RUN?_step=N" in said and "rewound" in said and "one can be given" in said


def test_threads(wandb, kept):
    run = wandb.init()

    def many(name):
        for at in range(200):
            run.log({name: at}, step=at)

    threads = [threading.Thread(target=many, args=(f"t{at}",)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for at in range(4):
        assert sorted(kept.values(f"t{at}")) == [(step, step) for step in range(200)]


def test_the_child_of_a_fork_ends_nothing(wandb, kept, tmp_path):
    run = wandb.init(id="both")
    before = len(kept.entries)
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            run.log({"x": 1})
            run.log({"x": 2})
            run.finish()
            kinds = [entry[1] if entry[0] == "fact" else entry[0] for entry in kept.entries[before:]]
            os.write(writes, ",".join(kinds).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reads, 1000) == b"value,value"
    run.log({"x": 3})
    assert len(kept.entries) == before + 1


def test_a_run_that_is_pickled_is_the_same_run(wandb, kept):
    run = wandb.init(id="one")
    assert pickle.loads(pickle.dumps(run)) is run
    assert wandb._attach("one") is run


def test_alert_waits(wandb, kept):
    wandb.init()
    for _ in range(3):
        wandb.alert("low", "accuracy", wandb.AlertLevel.ERROR)
    wandb.alert("other", "text", "nonsense", wait_duration=0)
    wandb.alert("other", "text", wait_duration=0)
    assert [(fact["title"], fact["level"]) for fact in kept.facts("track_alert")] == [("low", "ERROR"), ("other", "INFO"), ("other", "INFO")]


def test_a_recording_that_fails_costs_a_line(wandb, kept, monkeypatch, capfd):
    def broken(*_, **__):
        raise RuntimeError("disk")

    monkeypatch.setattr(kept.module, "open_recording", broken)
    run = wandb.init()
    run.log({"a": 1})
    run.log({"t": "x"})
    run.finish()
    assert capfd.readouterr().err.count("nothing is recorded: RuntimeError: disk") == 1
    monkeypatch.undo()


def test_facts_and_values_that_fail_cost_a_line(wandb, kept, monkeypatch):
    run = wandb.init()
    for name in ("fact", "values", "file", "dropped_by_ring", "close"):
        monkeypatch.setattr(kept.recording, name, lambda *_: 1 / 0)
    run._values = run._channel.values = kept.recording.values
    run.log({"a": 1.0})
    run.log({"t": "x", "i": wandb.Html("<b>")})
    run.config.a = 1
    run.finish()
    monkeypatch.undo()


def test_dropped_records_are_said(wandb, kept, monkeypatch, capfd):
    run = wandb.init()
    monkeypatch.setattr(kept.recording, "lost", 12)
    run.finish()
    assert "12 records were dropped" in capfd.readouterr().err


def test_what_needs_wandbs_server_says_so(wandb, kept):
    run = wandb.init(id="here")
    assert wandb.Api().run("me/p/here") is run
    for call in (lambda: wandb.Api().runs("p"), lambda: wandb.Api().run("x"), lambda: wandb.sweep({}), lambda: wandb.agent("x"),
                 lambda: run.use_artifact("data:latest")):
        with pytest.raises(wandb.UsageError, match="flatout"):
            call()
    assert wandb.login() is True
    wandb.require("service")
    wandb.setup()
    wandb.termwarn("a", repeat=False)
    assert wandb.Settings(anything=1).anything == 1 and wandb.Settings().unknown is None
    assert run._label(code="x") is None
    with pytest.raises(AttributeError):
        run.no_such_thing
