"""The programs of others that tools/programs_of_others.py runs: where each is from, and how it is started.

`files` maps a place in the working folder to a file or folder of the sources,
`data` one to a folder of the data. `steps` finds the steps that the program
prints, `printed` says how many of its own steps the match is; where it prints
none, `expected` is its own arithmetic, with `because`.
"""

import dataclasses
import re

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "disabled",
    "DO_NOT_TRACK": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclasses.dataclass(frozen=True)
class Source:
    repository: str
    commit: str


PYTORCH = Source("pytorch/examples", "77f55b9")
NANOGPT = Source("karpathy/nanoGPT", "3adf61e")
TIMM = Source("huggingface/pytorch-image-models", "aa4b585")
ACCELERATE = Source("huggingface/accelerate", "16cb6eb")
LIGHTNING = Source("Lightning-AI/pytorch-lightning", "7f0c343")
TRANSFORMERS = Source("huggingface/transformers", "0419ff8")
KERAS = Source("keras-team/keras", "3422977")
AUTOGRAD = Source("HIPS/autograd", "bff107b")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    source: Source
    files: dict
    command: tuple  # behind the interpreter
    data: dict = dataclasses.field(default_factory=dict)
    before: tuple = ()  # a command of the program's own that prepares its data
    environment: dict = dataclasses.field(default_factory=dict)
    steps: str = ""  # matched once for each step, or with the group `last`: the number of the last one
    first: int = 0  # with `last`: the number of the first step
    expected: int | None = None
    because: str = ""
    advice: dict = dataclasses.field(default_factory=dict)  # `add`, `replace`, `environment` or `plan`

    @property
    def path(self):
        return self.command[0]

    def changed(self, advice):
        """The command and the environment with an advice applied."""
        words = [advice.get("replace", {}).get(w, w) for w in self.command]
        words += advice.get("add", ())
        return words, {**self.environment, **advice.get("environment", {})}

    def printed_steps(self, text):
        if not self.steps:
            return None
        found = list(re.finditer(self.steps, text, re.MULTILINE))
        if not found:
            return 0
        if "last" in found[-1].groupdict():
            return max(int(m.group("last")) for m in found) - self.first + 1
        return len(found)


HF_TRAINER = (
    "--do_train --do_eval --max_steps 60 --logging_steps 1 --save_strategy no --report_to none --use_cpu --output_dir out"
).split()

PROGRAMS = (
    Program(
        "imagenet",
        PYTORCH,
        {"main.py": "examples/imagenet/main.py"},
        ("main.py", "pictures", "-a", "shufflenet_v2_x0_5", "-b", "16", "--epochs", "1", "-p", "1", "--seed", "1"),
        {"pictures": "pictures"},
        steps=r"^Epoch: \[\d+\]\[ *\d+/\d+\]",
    ),
    Program(
        "dcgan",
        PYTORCH,
        {"main.py": "examples/dcgan/main.py"},
        tuple(
            "main.py --dataset folder --dataroot pictures/train --niter 1 --batchSize 16 --ngf 16 --ndf 16 --manualSeed 1"
            " --outf out".split()
        ),
        {"pictures": "pictures"},
        steps=r"^\[\d+/\d+\]\[\d+/\d+\] Loss_D",
    ),
    Program(
        "nanogpt",
        NANOGPT,
        {
            "train.py": "nanoGPT/train.py",
            "model.py": "nanoGPT/model.py",
            "configurator.py": "nanoGPT/configurator.py",
            "config": "nanoGPT/config",
            "data/shakespeare_char/prepare.py": "nanoGPT/data/shakespeare_char/prepare.py",
        },
        tuple(
            "train.py config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=20 --log_interval=1"
            " --block_size=64 --batch_size=12 --n_layer=4 --n_head=4 --n_embd=128 --max_iters=200 --lr_decay_iters=200"
            " --dropout=0.0".split()
        ),
        {"data/shakespeare_char/input.txt": "text/input.txt"},
        before=("data/shakespeare_char/prepare.py",),
        steps=r"^iter (?P<last>\d+): loss",
    ),
    Program(
        "timm",
        TIMM,
        {"train.py": "timm/train.py"},
        tuple(
            "train.py --data-dir pictures --train-split train --val-split val --model test_resnet --num-classes 8"
            " --img-size 160 -b 16 --epochs 2 --warmup-epochs 0 --log-interval 1 --device cpu --seed 1 --output out"
            " --experiment one".split()
        ),
        {"pictures": "pictures"},
        steps=r"^Train: \d+ \[ *\d+/\d+",
    ),
    Program(
        "run_clm",
        TRANSFORMERS,
        {"run_clm.py": "transformers/examples/pytorch/language-modeling/run_clm.py"},
        (
            *"run_clm.py --model_type gpt2 --config_overrides n_embd=128,n_layer=2,n_head=2,vocab_size=800 --tokenizer_name tokenizer".split(),
            *"--train_file text/train.txt --validation_file text/val.txt --block_size 128".split(),
            *"--per_device_train_batch_size 8".split(),
            *HF_TRAINER,
        ),
        {"text": "text", "tokenizer": "bert-tiny", "accuracy": "metrics/accuracy"},
        steps=r"^\{'loss'",
    ),
    Program(
        "run_glue",
        TRANSFORMERS,
        {"run_glue.py": "transformers/examples/pytorch/text-classification/run_glue.py"},
        (
            *"run_glue.py --model_name_or_path bert-tiny --train_file pairs/train.csv --validation_file pairs/validation.csv".split(),
            *"--max_seq_length 128 --per_device_train_batch_size 16".split(),
            *HF_TRAINER,
        ),
        {"pairs": "pairs", "bert-tiny": "bert-tiny", "accuracy": "metrics/accuracy"},
        steps=r"^\{'loss'",
    ),
    Program(
        "lightning",
        LIGHTNING,
        {"pytorch/basics/image_classifier.py": "lightning/examples/pytorch/basics/backbone_image_classifier.py"},
        tuple(
            "pytorch/basics/image_classifier.py --trainer.max_epochs=1 --trainer.accelerator=cpu --trainer.limit_train_batches=500"
            " --trainer.limit_val_batches=20 --trainer.limit_test_batches=20 --trainer.limit_predict_batches=5".split()
        ),
        {"Datasets": "digits"},
        environment={"PL_USE_MOCKED_MNIST": "1"},
        steps=r"(?P<last>\d+)/500 (\[|\d+:\d+:\d+)",
        first=1,
    ),
    Program(
        "accelerate",
        ACCELERATE,
        {"nlp_example.py": "accelerate/examples/nlp_example.py"},
        ("nlp_example.py", "--cpu"),
        {"nyu-mll/glue": "glue", "bert-base-cased": "bert-tiny", "glue": "metrics/glue"},
        advice={"environment": {"HF_HOME": "../kept"}},
        # "list and tokenise the data to files": what `datasets` makes is kept from run to run
        expected=3 * (480 // 16),
        because="3 epochs of 480 pairs in batches of 16",
    ),
    Program(
        "keras",
        KERAS,
        {"demo_subclass.py": "keras/examples/demo_subclass.py"},
        ("demo_subclass.py",),
        environment={"KERAS_BACKEND": "torch"},
        expected=6 * 1250,
        because="6 epochs of 40 000 rows in batches of 32",
    ),
    Program(
        "autograd",
        AUTOGRAD,
        {"logistic_regression.py": "autograd/examples/logistic_regression.py"},
        ("logistic_regression.py",),
    ),
)

BY_NAME = {p.name: p for p in PROGRAMS}

SEEDS = ("--seed", "--manualSeed")


def without_seed(command):
    """The command as its author would start it: without the seed that makes two runs alike."""
    words = list(command)
    for name in SEEDS:
        if name in words:
            at = words.index(name)
            del words[at : at + 2]
    return words
