"""A drop-in for torch.utils.data.DataLoader that can be resumed, watched, and told what to do with bad samples.

    from flatout.torch import DataLoader
"""

from .loader import DataLoader

__all__ = ["DataLoader"]
