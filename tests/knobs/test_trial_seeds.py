"""Which seeds a trial moves, and what a trial of a program without seeds draws."""

import importlib
import json
import subprocess
import sys

import pytest
from hooked import environment

APART = 1_000_003


@pytest.mark.parametrize(("text", "k"), [("3", 3), ("0", 0), ("", 0), ("x", 0), ("-1", 0), ("1.5", 0), ("\u00b2", 0), (None, 0)])
def test_which_seeds_are_asked_for(knobs, monkeypatch, text, k):
    module = importlib.import_module("_flatout_hooks.trial.seed")
    monkeypatch.delenv("FLATOUT_TRIAL_SEED", raising=False)
    if text is not None:
        monkeypatch.setenv("FLATOUT_TRIAL_SEED", text)
    assert module.asked() == k


def seeded(folder, code, k=2):
    """What `code` prints under FLATOUT_TRIAL_SEED."""
    folder.mkdir(exist_ok=True)
    program = folder / "program.py"
    program.write_text(code)
    env = environment(folder, FLATOUT_TRIAL=1, FLATOUT_TRIAL_SEED=k)
    done = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_seed_stays_within_what_its_function_takes(tmp_path):
    said = seeded(
        tmp_path,
        "import random, torch, numpy as np\n"
        "def first(set_it, *args, **kwargs):\n"
        "    set_it(*args, **kwargs)\n"
        "    return random.random(), np.random.rand(), torch.initial_seed()\n"
        "print(first(torch.manual_seed, (1 << 64) - 1)[2], first(torch.manual_seed, -(1 << 63))[2])\n"
        "print(first(torch.random.manual_seed, seed=7)[2], first(torch.manual_seed, torch.tensor(7))[2])\n"
        "print(first(np.random.seed, (1 << 32) - 1)[1] == np.random.RandomState(2 * 1000003 - 1).rand())\n"
        "print(first(random.seed, a=-4)[0] == random.Random(2 * 1000003 - 4).random())\n"
        "print(first(random.seed, 'text')[0] == random.Random('text').random())\n"
        "print(first(np.random.seed, [1, 2])[1] == np.random.RandomState([1, 2]).rand())\n"
        "for seed, wrong in ((torch.manual_seed, 1 << 64), (np.random.seed, 1 << 32), (np.random.seed, -1), (torch.manual_seed, 'x')):\n"
        "    try:\n"
        "        seed(wrong)\n"
        "    except (RuntimeError, ValueError):\n"
        "        print('refused')\n"
        "torch.cuda.manual_seed_all(3); torch.cuda.manual_seed(3)\n"
        "random.seed(); np.random.seed()\n"
        "print(torch.manual_seed.__name__, torch.manual_seed(seed=1).initial_seed())\n",
    )  # fmt: skip
    by = 2 * APART
    assert said[:4] == [str(by - 1), str((1 << 63) + by), str(7 + by), str(7 + by)]
    assert said[4:8] == 4 * ["True"]
    assert said[8:12] == 4 * ["refused"]
    assert said[12:] == ["manual_seed", str(1 + by)]


UNSEEDED = (
    "import json, random, torch, numpy as np\n"
    "from torch.utils.data import DataLoader\n"
    "import multiprocessing\n"
    "def of_a_child(queue):\n"
    "    queue.put([random.random(), torch.rand(()).item()])\n"
    "if __name__ == '__main__':\n"
    "    order = [int(one) for one in DataLoader(range(50), shuffle=True)]\n"
    "    print(json.dumps([random.random(), torch.rand(()).item(), float(np.random.rand()), order]).replace(' ', ''))\n"
    "    context = multiprocessing.get_context('spawn')\n"
    "    queue = context.Queue()\n"
    "    for _ in range(CHILDREN):\n"
    "        child = context.Process(target=of_a_child, args=(queue,))\n"
    "        child.start(); print(json.dumps(queue.get()).replace(' ', '')); child.join()\n"
)


def test_trials_of_a_program_that_sets_no_seed_draw_alike(tmp_path):
    code = UNSEEDED.replace("CHILDREN", "2")
    first, again = (seeded(tmp_path / name, code, k=0) for name in ("first", "again"))
    assert first == again and len(set(first)) == 3, "each process draws its own, the same in each trial"
    (moved,) = seeded(tmp_path / "moved", UNSEEDED.replace("CHILDREN", "0"))
    assert all(one != other for one, other in zip(json.loads(first[0]), json.loads(moved)))


def test_what_is_random_on_purpose_stays_random(tmp_path):
    code = "import random, torch\nrandom.seed()\ntorch.seed()\nprint(random.random(), torch.rand(()).item())\n"
    assert seeded(tmp_path / "first", code, k=0) != seeded(tmp_path / "again", code, k=0)


def test_two_ranks_of_one_trial_draw_differently(knobs, monkeypatch):
    module = importlib.import_module("_flatout_hooks.trial.seed")
    seeds = []
    for rank in ("0", "1", "0"):
        monkeypatch.setenv("RANK", rank)
        seeds.append(module._of_this_process())
    assert seeds[0] == seeds[2] != seeds[1] and all(0 <= seed < 1 << 32 for seed in seeds)
