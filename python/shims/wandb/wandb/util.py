# The name is that of wandb: scripts import generate_id from here.
from wandb.sdk.lib.runid import generate_id  # noqa: F401
