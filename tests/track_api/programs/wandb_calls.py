"""Logs through `import wandb`, whichever it is."""

import fake_recording  # noqa: F401
import wandb

run = wandb.init(project="digits", name="first", tags=["base"], config={"lr": 0.1, "model": {"depth": 18}}, group="g", job_type="train", notes="n")
wandb.config.update({"late": 1}, allow_val_change=True)
wandb.define_metric("val/*", step_metric="epoch", summary="max")
for step in range(3):
    wandb.log({"loss": 1.0 / (step + 1), "nested": {"acc": 0.5}})
wandb.log({"epoch": 1}, commit=False)
wandb.log({"val/acc": 0.9, "said": "hello"})
wandb.log({"table": wandb.Table(columns=["a", "b"], data=[[1, "x"], [2, "y"]]), "h": wandb.Histogram([1, 2, 3])})
wandb.summary["best"] = 0.9
wandb.alert(title="low", text="accuracy", level=wandb.AlertLevel.WARN if hasattr(wandb, "AlertLevel") else "WARN")
run.finish()
print("done")
