"""The peers, in the order of the page. The first is the one that the others are compared with."""

import importlib

# Name -> module in this package. A module has one class, Adapter, or several in ADAPTERS by name.
NAMES = {
    "torch-pil": "torch_loader",
    "torch-decode_jpeg": "torch_loader",
    "torch-opencv": "torch_loader",
    "torch-simplejpeg": "torch_loader",
    "torch-simplejpeg-scaled": "torch_loader",
    "webdataset": "webdataset_tar",
    "spdl": "spdl_threads",
    "dali": "dali_cpu",
    "tf.data": "tf_data",
    "grain": "grain_files",
    "ffcv": "ffcv_beton",
    "flatout": "flatout_data",
}
# The same for sets that were packed once, shorter side 256: measured in a run and told in a page of their own.
PACKED = {
    "ffcv-jpeg256": "ffcv_beton",
    "ffcv-raw256": "ffcv_beton",
    "flatout-jpeg256": "flatout_data",
    "flatout-raw256": "flatout_data",
}
REFERENCE = "torch-pil"
OURS = "flatout"


def load(name):
    """The adapter called `name`; it has imported nothing of the peer yet."""
    adapter = importlib.import_module(f"{__name__}.{ {**NAMES, **PACKED}[name]}").ADAPTERS[name]
    adapter.name = name
    return adapter
