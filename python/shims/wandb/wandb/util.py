from wandb.sdk.lib.runid import generate_id  # noqa: F401
