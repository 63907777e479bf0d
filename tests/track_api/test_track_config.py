"""config, summary and define_metric of flatout.track: what is recorded of them."""

import argparse
import dataclasses
import enum
import pickle

import pytest


def test_config_in_every_way(wandb, kept, capfd):
    @dataclasses.dataclass
    class Options:
        lr: float = 0.1

    class Kind(enum.Enum):
        FAST = "fast"

    wandb.init(config=argparse.Namespace(a=1, kind=Kind.FAST))
    config = wandb.config
    config.b = 2
    config["c"] = {"d": 3}
    config.update({"a": 5}, allow_val_change=True)
    config.update(Options())
    config.setdefaults({"a": 9, "e": 6})
    assert (config.a, config["b"], config.c["d"], config.lr, config.get("none", 7), config.e) == (5, 2, 3, 0.1, 7, 6)
    assert dict(config)["b"] == 2 and "b" in config and len(config) == 6 and set(config.keys()) == {"a", "kind", "b", "c", "lr", "e"}
    with pytest.raises(AttributeError):
        config.none
    with pytest.raises(KeyError):
        config["none"]
    merged = {}
    for fact in kept.facts("track_config"):
        merged.update(fact["set"])
    assert merged == {"a": 5, "kind": "fast", "b": 2, "c": {"d": 3}, "lr": 0.1, "e": 6}
    before = len(kept.entries)
    config.b = 2  # no change, no fact
    assert len(kept.entries) == before
    assert "allow_val_change" not in capfd.readouterr().err
    config.b = 3
    assert "allow_val_change" in capfd.readouterr().err and config.b == 3
    assert pickle.loads(pickle.dumps(config)) == config


def test_a_large_config_and_a_large_row_go_in_parts(wandb, kept):
    wandb.init(config={f"k{at}": "x" * 1000 for at in range(200)})
    wandb.log({f"t{at}": "y" * 1000 for at in range(200)})
    for key, name in (("track_config", "set"), ("track_row", "data")):
        parts = [fact[name] for fact in kept.facts(key)]
        assert len(parts) >= 5 and sum(len(part) for part in parts) == 200 and all(len(str(part)) < 60_000 for part in parts)


def test_config_of_files(wandb, kept, monkeypatch, tmp_path):
    (tmp_path / "config-defaults.yaml").write_text('{"lr": {"value": 1, "desc": "d"}, "wandb_version": 1}')
    (tmp_path / "more.yaml").write_text('{"depth": 3}')
    monkeypatch.setenv("WANDB_CONFIG_PATHS", "more.yaml,absent.yaml")
    assert wandb.init(config={"a": 1}).config.as_dict() == {"lr": 1, "depth": 3, "a": 1}


def test_include_and_exclude(wandb, kept):
    assert wandb.init(config={"a": 1, "b": 2, "c": 3}, config_include_keys=["a", "b"], config_exclude_keys=["b"]).config.as_dict() == {"a": 1}


def test_summary(wandb, kept):
    wandb.init()
    wandb.log({"loss": 0.5})
    wandb.summary["best"] = 1
    wandb.summary.update({"loss": 9})
    assert dict(wandb.summary) == {"loss": 9, "best": 1} and wandb.summary.best == 1
    wandb.log({"loss": 0.25})
    assert wandb.summary["loss"] == 0.25
    assert kept.facts("track_summary") == [{"track": 0, "set": {"best": 1}}, {"track": 0, "set": {"loss": 9}}]


def test_define_metric(wandb, kept):
    step = wandb.init().define_metric("epoch")
    wandb.define_metric("val/*", step_metric=step, step_sync=True, hidden=True, summary="min,mean", goal="minimize", overwrite=True)
    assert kept.facts("track_metric") == [{"track": 0, "name": "epoch"}, {
        "track": 0, "name": "val/*", "step_metric": "epoch", "step_sync": True, "hidden": True, "summary": "min,mean", "goal": "minimize"}]


def test_a_value_stands_where_its_step_metric_says(wandb, kept):
    run = wandb.init()
    wandb.log({"early": 1})  # before anything is defined
    wandb.define_metric("train/global_step")
    wandb.define_metric("*", step_metric="train/global_step", step_sync=True)  # as transformers does
    wandb.log({"loss": 1.0})  # the metric has no value yet
    wandb.log({"loss": 0.5, "train/global_step": 10})
    wandb.log({"eval": 0.7, "text": "warm", "nested": {"acc": 1}})  # synchronised from the call before
    wandb.log({"train/global_step": 20.0}, commit=False)
    wandb.log({"loss": 0.25}, step=7)
    wandb.log({"loss": 0.1, "train/global_step": 20.5})  # is no step
    assert kept.values("early") == [(0, 1)] and kept.values("loss") == [(1, 1.0), (10, 0.5), (20, 0.25), (7, 0.1)]
    assert kept.values("eval") == [(10, 0.7)] and kept.values("nested.acc") == [(10, 1)]
    assert kept.values("train/global_step") == [(10, 10), (20, 20), (7, 20.5)]
    assert kept.facts("track_row") == [{"track": 0, "step": 10, "data": {"text": "warm"}}]
    assert run.step == 8  # log's own count is the same as without


def test_step_metrics_of_some_names(wandb, kept):
    wandb.init()
    wandb.define_metric("val/*", step_metric="epoch")
    wandb.define_metric("val/exact", step_metric="other.count", step_sync=False)
    wandb.define_metric("val/none")  # defined, and by tracker's steps
    wandb.log({"epoch": 3, "loss": 1, "val/acc": 0.5, "val/exact": 1, "val/none": 1})
    wandb.log({"val/acc": 0.75, "val/exact": 2, "other": {"count": 40}})
    wandb.log({"val/exact": 3})  # not synchronised
    wandb.log({"epoch": -1, "val/acc": 1})
    wandb.log({"epoch": True, "val/acc": 2})
    wandb.log({"epoch": float("nan"), "val/acc": 3})
    wandb.log({"epoch": "four", "val/acc": 4})
    assert kept.values("val/acc") == [(3, 0.5), (3, 0.75), (3, 1), (4, 2), (5, 3), (6, 4)]
    assert kept.values("val/exact") == [(0, 1), (40, 2), (2, 3)] and kept.values("val/none") == [(0, 1)]
    assert kept.values("loss") == [(0, 1)] and kept.values("epoch")[0] == (0, 3)
    wandb.define_metric("val/acc", summary="max")  # says nothing of steps, and is an exact name
    wandb.define_metric("val/exact", overwrite=True)
    wandb.log({"epoch": 9, "val/exact": 5, "other": {"count": 50}})
    assert kept.values("val/exact")[-1] == (7, 5)


def test_step_metrics_go_with_a_run_to_another_process(wandb, kept):
    run = wandb.init()
    run.define_metric("*", step_metric="n")
    restored, parts = run.__reduce__()
    run.finish()
    copy = restored(*parts)
    copy.log({"n": 5, "x": 1})
    assert kept.values("x") == [(5, 1)]
    copy.finish()
