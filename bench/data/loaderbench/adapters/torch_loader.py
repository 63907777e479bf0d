"""torch.utils.data.DataLoader over worker processes, with several decoders."""

from .. import decoding
from ..image_folder import samples
from .base import Adapter


class Files:
    """The dataset: what torchvision's ImageFolder and a transform are together."""

    def __init__(self, folder, decode):
        self.samples, self.decode = samples(folder), decode

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        import torch

        path, label = self.samples[index]
        with open(path, "rb") as file:
            return torch.from_numpy(self.decode(file.read())), label


class TorchLoader(Adapter):
    """Persistent workers, the default start method and prefetch factor; torch gives a worker one intra-op thread."""

    packages = ("torch", "numpy", "pillow")

    def __init__(self, decode, module, package, *differs, venv="peers"):
        self.decode, self.venv = decode, venv
        self.modules = ("torch", "torch.utils.data", "numpy", "PIL.Image", module)
        self.packages = (*self.packages, package)
        self.differs = differs

    def thread_counts(self, cores):
        return [max(1, cores - 1), cores, cores + 1]

    def open(self, folder, packed, batch_size, threads, seed):
        import torch
        from torch.utils.data import DataLoader

        torch.set_num_threads(1)
        if self.decode is decoding.with_opencv:
            import cv2

            cv2.setNumThreads(0)
        torch.manual_seed(seed)
        return DataLoader(Files(folder, self.decode), batch_size=batch_size, shuffle=True, num_workers=threads,
                          persistent_workers=True)


ADAPTERS = {
    "torch-pil": TorchLoader(decoding.with_pil, "PIL.Image", "pillow"),
    "torch-decode_jpeg": TorchLoader(decoding.with_torchvision, "torchvision.io", "torchvision", venv="torchvision"),
    "torch-opencv": TorchLoader(decoding.with_opencv, "cv2", "opencv-python-headless", "resizes without antialiasing"),
    "torch-simplejpeg": TorchLoader(decoding.with_simplejpeg, "simplejpeg", "simplejpeg"),
    "torch-simplejpeg-scaled": TorchLoader(
        decoding.with_scaled_simplejpeg, "simplejpeg", "simplejpeg",
        "decodes at a smaller scale where the crop allows, with the fast DCT and plain upsampling: other pixels"),
}
