"""Logs through MLflow as a training would, into a folder of its own."""

import sys

import fake_recording  # noqa: F401
import mlflow

mlflow.set_tracking_uri("sqlite:///" + sys.argv[1] + "/mlflow.db")
mlflow.set_experiment("digits")
with mlflow.start_run(run_name="first", tags={"team": "vision"}) as run:
    mlflow.log_param("lr", 0.1)
    mlflow.log_params({"depth": 18, "name": "resnet"})
    for step in range(3):
        mlflow.log_metric("loss", 1.0 / (step + 1), step=step)
    mlflow.log_metrics({"acc": 0.5, "f1": 0.4}, step=3)
    mlflow.set_tag("stage", "warm")
    mlflow.log_text("hello", "notes/hello.txt")
print(mlflow.get_run(run.info.run_id).data.metrics["loss"])
