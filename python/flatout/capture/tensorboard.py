"""The tee on SummaryWriter, of torch.utils.tensorboard and of tensorboardX: a tracked run for each folder of events.

Where a run of wandb with `sync_tensorboard` is open, the values are that run's, as they are in wandb.
"""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakKeyDictionary

from flatout.capture.tee import after, mirror, text_id
from flatout.track import media, state
from flatout.track._run import Run

__all__ = ["patch"]

_runs: WeakKeyDictionary[Any, Run] = WeakKeyDictionary()
_folders: WeakKeyDictionary[Run, list[str]] = WeakKeyDictionary()  # of events, of a run that takes them all


def patch(module: Any) -> None:
    kind = module.SummaryWriter
    for name, record in (("add_scalar", _scalar), ("add_scalars", _scalars), ("add_text", _text), ("add_image", _image), ("add_images", _images),
                         ("add_figure", _figure), ("add_histogram", _histogram), ("add_hparams", _hparams), ("add_video", _video),
                         ("add_audio", _audio), ("close", _closed)):
        after(kind, name, record)


def _folder(writer: Any) -> str:
    return os.path.abspath(str(getattr(writer, "log_dir", None) or getattr(writer, "logdir", None) or "runs"))


def _synced() -> Run | None:
    return next((run for run in reversed(state.open_runs) if run._syncs_tensorboard), None)


def _run(writer: Any) -> Run:
    run = _synced() or _runs.get(writer)
    if run is None or run._finished:
        folder = _folder(writer)
        run = _runs[writer] = mirror("tensorboard", id=text_id(folder), id_given=True, name=os.path.basename(folder),
                                     namespace=f"pid {os.getpid()}")
    return run


def _prefix(run: Run, writer: Any) -> str:
    """Of the first folder none; names of others would be the same."""
    folders = _folders.setdefault(run, [])
    folder = _folder(writer)
    if folder not in folders:
        folders.append(folder)
    return "" if folders[0] == folder else os.path.basename(folder) + "/"


def _log(writer: Any, tag: Any, value: Any, step: Any) -> None:
    """TensorBoard takes steps in any order, and none as the series' next: so does this."""
    run = _run(writer)
    at = run._step if step is None else int(step)
    if run._syncs_tensorboard:  # whose own count of steps goes on beside it
        run._try_write({_prefix(run, writer) + str(tag): value}, at)
        return
    run._try_write({str(tag): value}, at)
    if step is not None:
        run._step = max(run._step, at)


def _scalar(_: Any, writer: Any, tag: Any, scalar_value: Any, global_step: Any = None, *__: Any, **___: Any) -> None:
    _log(writer, tag, scalar_value, global_step)


def _scalars(_: Any, writer: Any, main_tag: Any, tag_scalar_dict: Any, global_step: Any = None, *__: Any, **___: Any) -> None:
    for name, value in tag_scalar_dict.items():
        _log(writer, f"{main_tag}/{name}", value, global_step)


def _text(_: Any, writer: Any, tag: Any, text_string: Any, global_step: Any = None, *__: Any, **___: Any) -> None:
    _log(writer, tag, str(text_string), global_step)


def _image(_: Any, writer: Any, tag: Any, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "CHW", **__: Any) -> None:
    _log(writer, tag, media.Image(_ordered(img_tensor, dataformats, "HWC")), global_step)


def _images(_: Any, writer: Any, tag: Any, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "NCHW",
            **__: Any) -> None:
    pictures = _ordered(img_tensor, dataformats, "NHWC")
    _log(writer, tag, [media.Image(one) for one in pictures[:16]], global_step)


def _ordered(array: Any, given: str, wanted: str) -> Any:
    import numpy

    array = array.detach().cpu() if hasattr(array, "detach") else array
    array = numpy.asarray(array)
    given = given.upper()
    for axis in wanted:
        if axis not in given:
            array, given = array[..., None], given + axis
    return array.transpose([given.index(axis) for axis in wanted])


def _figure(_: Any, writer: Any, tag: Any, figure: Any, global_step: Any = None, *__: Any, **___: Any) -> None:
    figures = list(figure) if isinstance(figure, (list, tuple)) else [figure]
    _log(writer, tag, [media.Image(one) for one in figures], global_step)


def _histogram(_: Any, writer: Any, tag: Any, values: Any, global_step: Any = None, *__: Any, **___: Any) -> None:
    _log(writer, tag, media.Histogram(values), global_step)


def _video(_: Any, writer: Any, tag: Any, vid_tensor: Any, global_step: Any = None, fps: Any = 4, *__: Any, **___: Any) -> None:
    _log(writer, tag, media.Video(vid_tensor, fps=int(fps)), global_step)


def _audio(_: Any, writer: Any, tag: Any, snd_tensor: Any, global_step: Any = None, sample_rate: int = 44100, *__: Any, **___: Any) -> None:
    samples = snd_tensor.squeeze() if hasattr(snd_tensor, "squeeze") else snd_tensor
    _log(writer, tag, media.Audio(samples, sample_rate=sample_rate), global_step)


def _hparams(_: Any, writer: Any, hparam_dict: Any, metric_dict: Any, *__: Any, **___: Any) -> None:
    run = _run(writer)
    run.config.update(dict(hparam_dict), allow_val_change=True)
    run.summary.update(dict(metric_dict))


def _closed(_: Any, writer: Any, *__: Any, **___: Any) -> None:
    run = _runs.get(writer)
    if run is not None:
        run.finish()
