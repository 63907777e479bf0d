"""The tee on MLflow's client, which its fluent functions (mlflow.log_metric and so on) call as well."""

from __future__ import annotations

import os
from typing import Any

from flatout.capture.tee import after, mirror
from flatout.track import media
from flatout.track._run import Run

__all__ = ["patch"]

_runs: dict[str, Run] = {}
_experiments: dict[str, str] = {"0": "Default"}  # id -> name, as far as the program has come across them


def patch(module: Any) -> None:
    kind = module.MlflowClient
    for holder in (kind, getattr(module, "TrackingServiceClient", None)):  # set_experiment calls the latter
        for name in ("get_experiment", "get_experiment_by_name"):
            after(holder, name, _experiment)
        after(holder, "create_experiment", _named)
    for name, record in (("create_run", _created), ("log_metric", _metric), ("log_batch", _batch), ("log_param", _param), ("set_tag", _tag),
                         ("update_run", _updated), ("set_terminated", _ended), ("log_artifact", _artifact), ("log_artifacts", _artifacts),
                         ("log_text", _text), ("log_dict", _dict), ("log_image", _image), ("log_figure", _figure)):
        after(kind, name, record)


def _run(run_id: Any) -> Run:
    """Also of a run that another process has created."""
    run = _runs.get(str(run_id))
    if run is None or run._finished:
        run = _runs[str(run_id)] = mirror("mlflow", id=str(run_id), id_given=True, namespace=f"pid {os.getpid()}")
    return run


def _experiment(result: Any, client: Any, *_: Any, **__: Any) -> None:
    if result is not None:
        _experiments[str(result.experiment_id)] = str(result.name)


def _named(result: Any, client: Any, name: Any, *_: Any, **__: Any) -> None:
    _experiments[str(result)] = str(name)


def _created(result: Any, client: Any, experiment_id: Any, start_time: Any = None, tags: Any = None, run_name: Any = None, *_: Any, **__: Any) -> None:
    info = result.info
    run = mirror("mlflow", id=str(info.run_id), id_given=True, name=getattr(info, "run_name", None) or run_name,
                 project=_experiments.get(str(experiment_id), str(experiment_id)), group=(tags or {}).get("mlflow.parentRunId"))
    _runs[str(info.run_id)] = run
    for key, value in (tags or {}).items():
        _put_tag(run, key, value)


def _put_tag(run: Run, key: Any, value: Any) -> None:
    if str(key) == "mlflow.runName":
        run.name = str(value)
    elif str(key) == "mlflow.note.content":
        run.notes = str(value)
    elif not str(key).startswith("mlflow."):
        run.tags = (*(one for one in run.tags if not one.startswith(f"{key}=")), f"{key}={value}")


def _put(run: Run, key: Any, value: Any, step: Any) -> None:
    run._try_write({str(key): value}, int(step or 0))


def _metric(_: Any, client: Any, run_id: Any, key: Any, value: Any, timestamp: Any = None, step: Any = None, *__: Any, **___: Any) -> None:
    _put(_run(run_id), key, value, step)


def _batch(_: Any, client: Any, run_id: Any, metrics: Any = (), params: Any = (), tags: Any = (), *__: Any, **___: Any) -> None:
    run = _run(run_id)
    for metric in metrics:
        _put(run, metric.key, metric.value, metric.step)
    if params:
        run.config._set({str(param.key): param.value for param in params}, True)
    for tag in tags:
        _put_tag(run, tag.key, tag.value)


def _param(_: Any, client: Any, run_id: Any, key: Any, value: Any, *__: Any, **___: Any) -> None:
    _run(run_id).config._set({str(key): value}, True)


def _tag(_: Any, client: Any, run_id: Any, key: Any, value: Any, *__: Any, **___: Any) -> None:
    _put_tag(_run(run_id), key, value)


def _updated(_: Any, client: Any, run_id: Any, status: Any = None, name: Any = None, *__: Any, **___: Any) -> None:
    if name:
        _run(run_id).name = str(name)


def _ended(_: Any, client: Any, run_id: Any, status: Any = None, *__: Any, **___: Any) -> None:
    run = _runs.get(str(run_id))
    if run is not None:
        run.finish(0 if status in (None, "FINISHED") else 1)


def _artifact(_: Any, client: Any, run_id: Any, local_path: Any, artifact_path: Any = None, *__: Any, **___: Any) -> None:
    path = str(local_path)
    if os.path.isdir(path):
        _artifacts(None, client, run_id, path, artifact_path)
    else:
        _run(run_id)._keep_file(path, os.path.join(str(artifact_path or ""), os.path.basename(path)), False)


def _artifacts(_: Any, client: Any, run_id: Any, local_dir: Any, artifact_path: Any = None, *__: Any, **___: Any) -> None:
    for folder, _below, names in os.walk(str(local_dir)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                _run(run_id)._keep_file(path, os.path.join(str(artifact_path or ""), os.path.relpath(path, str(local_dir))), False)


def _content(run: Run, data: Any, path: Any) -> None:
    kept = run._channel.file(data, os.path.splitext(str(path))[1].lstrip("."))
    if kept is not None:
        run._fact("track_file", {"path": str(path), "file": kept[0], "bytes": kept[1], "kind": "file"})


def _text(_: Any, client: Any, run_id: Any, text: Any, artifact_file: Any, *__: Any, **___: Any) -> None:
    _content(_run(run_id), str(text).encode("utf-8", "replace"), artifact_file)


def _dict(_: Any, client: Any, run_id: Any, dictionary: Any, artifact_file: Any, *__: Any, **___: Any) -> None:
    import json

    from flatout.track.plain import plain

    _content(_run(run_id), json.dumps(plain(dictionary)).encode(), artifact_file)


def _image(_: Any, client: Any, run_id: Any, image: Any, artifact_file: Any = None, key: Any = None, step: Any = None, *__: Any, **___: Any) -> None:
    picture = image.to_pil() if hasattr(image, "to_pil") else image
    _put(_run(run_id), key or artifact_file or "image", media.Image(picture), step)


def _figure(_: Any, client: Any, run_id: Any, figure: Any, artifact_file: Any, *__: Any, **___: Any) -> None:
    run = _run(run_id)
    _put(run, artifact_file, media.Plotly.make_plot_media(figure), run._step)
