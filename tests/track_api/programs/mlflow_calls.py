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
    mlflow.log_table({"in": ["a", "b"], "out": [1, 2]}, artifact_file="table.json")
    with mlflow.start_run(nested=True, run_name="inner"):
        mlflow.log_metric("inner", 0.5, step=3)
with mlflow.start_run(run_id=run.info.run_id):
    mlflow.log_metric("later", 2.0, step=9, synchronous=False)
    mlflow.flush_async_logging()
print(mlflow.get_run(run.info.run_id).data.metrics["loss"])
