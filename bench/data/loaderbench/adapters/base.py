"""What an adapter is. One file a peer; `NAMES` in __init__.py lists them.

The measuring process imports the adapter's file, asks why_not(), and on None
calls imports(): from then on the peer is ready, and what follows is measured.
"""

import importlib
import importlib.metadata


def missing(*modules):
    """Why these modules cannot be imported, in words, or None where all can."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as problem:  # a binary wheel may fail in any way, and its words are what the page shows
            return f"import {module}: {type(problem).__name__}: {' '.join(str(problem).split())[:200]}"
    return None


class Adapter:
    name = ""
    venv = "peers"  # the environment it is run in: "peers", "own" (flatout's), or one of its own that peers_venv.sh makes
    modules = ()  # imported before the peer is called ready
    packages = ()  # whose versions are reported
    packed = False  # reads a file of its own making, not the JPEG files as they are
    differs = ()  # from the reference (torch-pil), a sentence each

    def why_not(self):
        """Why it cannot run here, or None. Imports its modules."""
        return missing(*self.modules)

    def versions(self):
        found = {}
        for package in self.packages:
            try:
                found[package] = importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                continue
        return found

    def thread_counts(self, cores):
        """Counts of workers or threads worth trying; the fastest is measured."""
        return [cores, cores + 1]

    def prepare(self, folder, packed):
        """Writes what the peer reads instead of `folder` into the folder `packed`, unless it is there; its bytes, or None. Not timed
        with the epochs."""
        return None

    def open(self, folder, packed, batch_size, threads, seed):
        """A loader: each iter() of it is one epoch of (images, labels), each sample once, in another order each time. images: float32,
        N x 3 x 224 x 224, dense; labels: N integers, the rank of the sample's class folder. An optional close() ends its threads."""
        raise NotImplementedError

    def stages(self, loader):
        """{stage: nanoseconds since the loader was opened, over all threads}, where it counts them."""
        return {}
