"""Logs in Neptune's way; with its real client in debug mode."""

import fake_recording  # noqa: F401
import neptune
from neptune.types import File
from neptune.utils import stringify_unsupported

run = neptune.init_run(project="me/digits", mode=None if getattr(neptune, "_is_flatouts", False) else "debug", custom_run_id="night-7",
                       tags=["base"], name="first", capture_stdout=False, capture_stderr=False, capture_hardware_metrics=False)
run["parameters"] = {"lr": 0.1, "model": {"depth": 18}}
run["train/loss"].append(0.5)
run["train/loss"].append(0.25, step=10)
run["train/acc"].extend([0.1, 0.2, 0.3], steps=[1, 2, 3])
run["val"]["loss"].log(0.7)
run["model/name"] = "resnet"
run["others"] = stringify_unsupported({"a": [1, 2]})
run["notes"].upload(File.from_content("text", extension="txt"))
run["sys/tags"].add(["late"])
run.stop()
print("done")
