from wandb.sdk.lib.disabled import RunDisabled, SummaryDisabled  # noqa: F401
