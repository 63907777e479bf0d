"""flatout in Python.

    flatout.data     batches from files, made by native threads
    flatout.torch    a drop-in for torch.utils.data.DataLoader
    flatout.track    a tracker with wandb's names, and Neptune's; what it logs lies with the run
    python -m flatout run -- python train.py      the program flatout, as on the command line
    %load_ext flatout, then %%flatout             the same for a cell of a notebook

Nothing of these is imported until it is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["__version__"]

__version__ = "0.1.0"  # CMakeLists.txt has it, too; tools/make_wheel.py refuses another one


def load_ipython_extension(shell: InteractiveShell) -> None:
    """What `%load_ext flatout` calls: adds the cell magic `%%flatout`, see flatout.notebook."""
    from flatout.notebook import register

    register(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """What `%unload_ext flatout` calls: takes `%%flatout` away again."""
    from flatout.notebook import unregister

    unregister(shell)
