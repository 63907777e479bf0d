"""`init`, with all of wandb's arguments."""

from __future__ import annotations

import os
import sys
from typing import Any

from flatout.track import state
from flatout.track._config import as_mapping
from flatout.track.errors import say, say_once
from flatout.track.plain import text_of
from flatout.track._run import Run
from flatout.track.settings import Settings, asked_for, default_config

__all__ = ["init"]

# Arguments that ask for something of wandb's server or of its other parts: taken, and said where they would have done something.
_WITHOUT_MEANING = {
    "monitor_gym": "videos of gym are not recorded",
}
_SYNC = "flatout run --capture wandb,tensorboard records what a SummaryWriter is given"


def init(entity: str | None = None, project: str | None = None, dir: Any = None, id: str | None = None, name: str | None = None,
         notes: str | None = None, tags: Any = None, config: Any = None, config_exclude_keys: Any = None, config_include_keys: Any = None,
         allow_val_change: bool | None = None, group: str | None = None, job_type: str | None = None, mode: str | None = None,
         force: bool | None = None, reinit: Any = None, resume: Any = None, resume_from: str | None = None, fork_from: str | None = None,
         save_code: bool | None = None, tensorboard: bool | None = None, sync_tensorboard: bool | None = None, monitor_gym: bool | None = None,
         settings: Any = None, anonymous: Any = None, **unknown: Any) -> Run:
    """A new run, which is the global one from now on.

    With a run open: it is returned and a line said, unless `reinit` says "finish_previous" (or True) or "create_new".
    Never raises: what it does not know it names in a line.
    """
    given = dict(locals())
    for argument in unknown:
        say_once(f"init: the argument {text_of(argument, 60)} is not known and is ignored")
    for argument, instead in _WITHOUT_MEANING.items():
        if given[argument]:
            say_once(f"init: {argument}: {instead}")
    syncs = bool(tensorboard or sync_tensorboard)
    if syncs and "tensorboard" not in os.environ.get("FLATOUT_CAPTURE", "").split(","):
        say_once(f"init: sync_tensorboard: {_SYNC}")
    wanted = reinit if reinit is not None else getattr(settings, "reinit", None)
    if state.run is not None and wanted != "create_new":
        if wanted is True or wanted == "finish_previous":
            state.run.finish()
        else:
            say_once("init: a run is open already and goes on; finish() it first, or give reinit='finish_previous'")
            state.run.config.update(_config(config, None, None), allow_val_change=True)
            return state.run  # type: ignore[no-any-return]
    run = Run(asked_for(given), settings=_settings(settings))
    run._syncs_tensorboard = syncs and not run.disabled
    run.config.update({**default_config(), **_config(config, config_include_keys, config_exclude_keys)}, allow_val_change=True)
    if wanted != "create_new" or state.run is None:
        state.set_run(run)
    if save_code and not run.disabled:
        _save_code(run)
    if run.flatout_run and not run.disabled and not os.environ.get("WANDB_QUIET"):
        say(f"run {run.id} is recorded as flatout's {run.flatout_run}")
    return run


def _settings(given: Any) -> Settings:
    if isinstance(given, Settings):
        return given
    return Settings(**given) if isinstance(given, dict) else Settings()


def _config(given: Any, include: Any, exclude: Any) -> dict[str, Any]:
    try:
        whole = as_mapping(given)
    except Exception as error:
        say_once(f"init: config of type {type(given).__name__} is left out: {type(error).__name__}: {error}")
        return {}
    if include:
        whole = {key: value for key, value in whole.items() if key in include}
    if exclude:
        whole = {key: value for key, value in whole.items() if key not in exclude}
    return whole


def _save_code(run: Run) -> None:
    if (os.environ.get("WANDB_DISABLE_CODE") or "").lower() in ("1", "true", "yes"):
        return
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main and os.path.isfile(main):
        run.save(os.path.abspath(main), base_path=os.path.dirname(os.path.abspath(main)), policy="now", glob=False)
