"""The transforms that bench/data/transforms.py times: how we and torchvision's v2 say the same thing."""

import dataclasses
from collections.abc import Callable

SIDE = 256  # of the pictures


@dataclasses.dataclass
class Case:
    """`name` of torchvision.transforms.v2 with `parameters`; `step` takes a description of flatout.data and adds the same step."""

    step: Callable
    name: str
    parameters: dict

    def ours(self, source):
        """A loader's samples have one size that it knows before: said by a crop that takes all, and so costs nothing."""
        return self.step(source if "size" in self.parameters else source.center_crop(SIDE))

    def theirs(self):
        from torchvision.transforms import v2

        return getattr(v2, self.name)(**self.parameters)


def case(step, name, **parameters):
    return Case(step, name, parameters)


CASES = {
    "resize to 224": case(lambda to: to.resize([224, 224]), "Resize", size=[224, 224]),
    "resize to 224, bicubic": case(lambda to: to.resize([224, 224], "bicubic"), "Resize", size=[224, 224], interpolation=3),
    "random_resized_crop to 224": case(lambda to: to.random_resized_crop(224), "RandomResizedCrop", size=224),
    "center_crop to 224": case(lambda to: to.center_crop(224), "CenterCrop", size=224),
    "random_crop to 224": case(lambda to: to.random_crop(224), "RandomCrop", size=224),
    "flip": case(lambda to: to.flip(1), "RandomHorizontalFlip", p=1),
    "vertical_flip": case(lambda to: to.vertical_flip(1), "RandomVerticalFlip", p=1),
    "grayscale": case(lambda to: to.grayscale(1), "Grayscale", num_output_channels=3),
    "brightness": case(lambda to: to.color_jitter(brightness=(0.6, 1.4)), "ColorJitter", brightness=0.4),
    "contrast": case(lambda to: to.color_jitter(contrast=(0.6, 1.4)), "ColorJitter", contrast=0.4),
    "saturation": case(lambda to: to.color_jitter(saturation=(0.6, 1.4)), "ColorJitter", saturation=0.4),
    "hue": case(lambda to: to.color_jitter(hue=(-0.1, 0.1)), "ColorJitter", hue=0.1),
    "rotation": case(lambda to: to.rotation(30), "RandomRotation", degrees=30),
    "rotation, bilinear": case(lambda to: to.rotation(30, "bilinear"), "RandomRotation", degrees=30, interpolation=2),
    "affine": case(lambda to: to.affine(15, (0.1, 0.1), (0.9, 1.1), 5), "RandomAffine", degrees=15, translate=(0.1, 0.1),
                   scale=(0.9, 1.1), shear=5),
    "perspective": case(lambda to: to.perspective(p=1), "RandomPerspective", p=1),
    "invert": case(lambda to: to.invert(1), "RandomInvert", p=1),
    "posterize": case(lambda to: to.posterize(4, 1), "RandomPosterize", bits=4, p=1),
    "solarize": case(lambda to: to.solarize(128, 1), "RandomSolarize", threshold=128, p=1),
    "autocontrast": case(lambda to: to.autocontrast(1), "RandomAutocontrast", p=1),
    "equalize": case(lambda to: to.equalize(1), "RandomEqualize", p=1),
    "sharpness": case(lambda to: to.sharpness(2, 1), "RandomAdjustSharpness", sharpness_factor=2, p=1),
    "blur, 5 x 5": case(lambda to: to.blur(5), "GaussianBlur", kernel_size=5),
    "blur, 23 x 23": case(lambda to: to.blur(23), "GaussianBlur", kernel_size=23),
    "rand_augment": case(lambda to: to.rand_augment(), "RandAugment"),
    "trivial_augment": case(lambda to: to.trivial_augment(), "TrivialAugmentWide"),
    "auto_augment": case(lambda to: to.auto_augment(), "AutoAugment"),
}
