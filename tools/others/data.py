"""The small data that the programs of others train on, written once into a folder: nothing is downloaded.

Pictures come from examples/make_images.py. Text is words by chance, pairs of
sentences likewise; the model and its tokenizer are tiny ones with random
weights. Metrics stand in for those that `evaluate` would fetch.
"""

import csv
import os
import pathlib
import random
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = 768
VALIDATION_EVERY = 7  # of the pictures of a class
DIGITS = {"training.pt": 60_000, "test.pt": 10_000}
PAIRS = {"train": 480, "validation": 200}

METRIC = '''import datasets
import evaluate


class Metric(evaluate.Metric):
    def _info(self):
        kinds = {{"predictions": datasets.Value("int64"), "references": datasets.Value("int64")}}
        return evaluate.MetricInfo(
            description="share of right answers", citation="", inputs_description="", features=datasets.Features(kinds)
        )

    def _compute(self, predictions, references{more}):
        right = sum(p == r for p, r in zip(predictions, references))
        return {{"accuracy": right / len(references)}}
'''
GLUE_CARD = """---
configs:
- config_name: mrpc
  data_files:
  - split: train
    path: train.csv
  - split: validation
    path: validation.csv
---
"""


def pictures(folder):
    made = folder.parent / "made"
    command = [sys.executable, str(ROOT / "examples/make_images.py"), str(made), "--count", str(PICTURES)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for kind in sorted(p for p in made.iterdir() if p.is_dir()):
        for n, file in enumerate(sorted(kind.iterdir())):
            target = folder / ("val" if n % VALIDATION_EVERY == 0 else "train") / kind.name / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(file, target)


def words(rng):
    syllables = "ba de ki lo mu na po ri sa te vo wi zen tar mel".split()
    return ["".join(rng.choice(syllables) for _ in range(rng.randint(1, 3))) for _ in range(600)]


def sentence(rng, known):
    picked = [known[min(int(rng.paretovariate(0.9)) - 1, len(known) - 1)] for _ in range(rng.randint(5, 14))]
    return " ".join(picked).capitalize() + "."


def text(folder):
    rng = random.Random(1)
    known = words(rng)
    folder.mkdir(parents=True)
    for name, lines in (("train.txt", 12_000), ("val.txt", 600), ("input.txt", 6_000)):
        (folder / name).write_text("\n".join(sentence(rng, known) for _ in range(lines)) + "\n")


def pairs(folder):
    """Half of the pairs are one sentence and a shuffle of it, half are two sentences."""
    rng = random.Random(2)
    known = words(random.Random(1))
    folder.mkdir(parents=True)
    for name, rows in PAIRS.items():
        with open(folder / f"{name}.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["sentence1", "sentence2", "label", "idx"])
            for n in range(rows):
                one = sentence(rng, known)
                same = rng.random() < 0.5
                other = " ".join(rng.sample(one.split(), len(one.split()))) if same else sentence(rng, known)
                out.writerow([one, other, int(same), n])


def pairs_without_index(source, folder):
    folder.mkdir(parents=True)
    for name in PAIRS:
        with open(source / f"{name}.csv") as file, open(folder / f"{name}.csv", "w", newline="") as target:
            csv.writer(target).writerows(row[:3] for row in csv.reader(file))


def bert(folder):
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast, set_seed

    set_seed(1)
    folder.mkdir(parents=True)
    letters = [*"abcdefghijklmnopqrstuvwxyz.", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *sorted(set(words(random.Random(1))))]
    vocabulary = list(dict.fromkeys(vocabulary))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=128).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512,
        max_position_embeddings=128,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)


def digits(folder):
    import torch

    target = folder / "MNIST/complete"
    target.mkdir(parents=True)
    draw = torch.Generator().manual_seed(1)
    shapes = torch.randint(0, 256, (10, 28, 28), generator=draw)
    for name, count in DIGITS.items():
        labels = torch.randint(0, 10, (count,), generator=draw)
        noise = torch.randint(0, 256, (count, 28, 28), generator=draw)
        torch.save((((shapes[labels] + noise) // 2).to(torch.uint8), labels), target / name)


def metrics(folder):
    for name, more in (("accuracy", ", **more"), ("glue", "")):
        (folder / name).mkdir(parents=True)
        (folder / name / f"{name}.py").write_text(METRIC.format(more=more))


def make(folder):
    """Each part that is not there yet. A part is made beside its place first, so that what is there is whole."""

    def glue(target):
        shutil.copytree(folder / "all-pairs", target)
        (target / "README.md").write_text(GLUE_CARD)

    parts = {
        "pictures": pictures,
        "text": text,
        "all-pairs": pairs,
        "pairs": lambda target: pairs_without_index(folder / "all-pairs", target),
        "glue": glue,
        "bert-tiny": bert,
        "digits": digits,
        "metrics": metrics,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in parts.items():
        if (folder / name).exists():
            continue
        begun = folder / f"{name}.begun"
        shutil.rmtree(begun, ignore_errors=True)
        write(begun)
        begun.rename(folder / name)
