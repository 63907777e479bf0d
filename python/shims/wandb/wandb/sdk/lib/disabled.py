class RunDisabled(object):
    """wandb gives it for type checks alone: a disabled run is a Run here, as there."""


class SummaryDisabled(dict):
    """Likewise."""
