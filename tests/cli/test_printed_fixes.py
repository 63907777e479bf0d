"""Each line that a report prints as a fix is applied, as it is printed, to a program, which then runs and trains the same."""

import ast
import dataclasses
import json
import pathlib
import random
import re

import harness
import pytest
import torch
from PIL import Image

PROGRAMS = pathlib.Path(__file__).parent / "programs"
VISION = harness.ROOT / "tests/knobs/programs"
CALL = re.compile(r"DataLoader\(\.\.\., (?P<arguments>[^()]*)\)(?: \(from (?P<module>[\w.]+) import DataLoader\))?")
WITHOUT = re.compile(r", without the arguments that need workers \(([^)]*)\)")


def applied(source, line):
    """`source` with its first DataLoader(...) changed as `line` says."""
    match = CALL.match(line)
    assert match is not None, line
    tree = ast.parse(source)
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "DataLoader")
    new = ast.parse(f"f({match['arguments']})", mode="eval").body.keywords
    without = WITHOUT.search(line)
    gone = {keyword.arg for keyword in new} | set(without[1].split(", ") if without else ())
    call.keywords = [keyword for keyword in call.keywords if keyword.arg not in gone] + new
    if match["module"]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "torch.utils.data":
                node.names = [name for name in node.names if name.name != "DataLoader"]
        tree.body.insert(1, ast.parse(f"from {match['module']} import DataLoader").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


# The lines of other arguments.


def loader_with(arguments):
    return lambda source: source.replace("num_workers=0", arguments)


def as_it_is(source):
    return source


def replaced(old, new):
    return lambda source: source.replace(old, new)


LOADER_LINES = [
    ("DataLoader(..., num_workers=2)", as_it_is),
    ("DataLoader(..., prefetch_factor=4)", loader_with("num_workers=2")),
    ("DataLoader(..., persistent_workers=True)", loader_with("num_workers=2")),
    ("DataLoader(..., num_workers=1, prefetch_factor=8)", as_it_is),
    ("DataLoader(..., num_workers=0), without the arguments that need workers (persistent_workers, prefetch_factor, timeout, "
     "multiprocessing_context)", loader_with("num_workers=2, persistent_workers=True, prefetch_factor=4, timeout=60, multiprocessing_context='fork'")),
    ("DataLoader(..., batch_size=8)", as_it_is),
]  # fmt: skip


SEEN = {}  # what a program gave: most lines are tried on the same one


def trained(tmp_path, source, **environment):
    program = tmp_path / "edited.py"
    key = source, *environment
    if key not in SEEN:
        program.write_text(source)
        done = harness.run_plain([harness.PYTHON, program], env=harness.environment(**environment), cwd=tmp_path)
        assert done.code == 0, done.err.decode()
        SEEN[key] = done.out
    return json.loads(SEEN[key])


@pytest.mark.parametrize(("line", "before"), LOADER_LINES, ids=[line for line, _before in LOADER_LINES])
@pytest.mark.every_change("DataLoader(..., num_workers=2)", "DataLoader(..., batch_size=8)")
def test_an_argument_of_a_loader(tmp_path, line, before):
    source = before((PROGRAMS / "small_training.py").read_text())
    plain, edited = trained(tmp_path, source), trained(tmp_path, applied(source, line))
    assert plain["classes"] == edited["classes"] and edited["loss"] > 0
    if "batch_size" not in line:
        assert edited["steps"] == plain["steps"]
    if "persistent_workers" not in line and "batch_size" not in line:  # workers that live on draw no seed of a new epoch
        assert edited == plain, "nothing here is drawn at random but the order"


OTHER_LINES = {
    "torch.set_num_threads(1)": replaced("torch.manual_seed(0)", "torch.set_num_threads(1)\n    torch.manual_seed(0)"),
    'torch.set_float32_matmul_precision("high")': replaced("torch.manual_seed(0)", 'torch.set_float32_matmul_precision("high")\n    torch.manual_seed(0)'),
    "fused=True": replaced("lr=0.01", "lr=0.01, fused=True"),
    "model = model.to(memory_format=torch.channels_last)": replaced(
        "    labels = []", "    model = model.to(memory_format=torch.channels_last)\n    labels = []"),
    "model.compile()": replaced("    labels = []", "    model.compile()\n    labels = []"),
    'model.compile(mode="reduce-overhead")': replaced("    labels = []", '    model.compile(mode="reduce-overhead")\n    labels = []'),
    "torch.inference_mode()": replaced("torch.no_grad()", "torch.inference_mode()"),
    'with torch.autocast("cuda", dtype=torch.bfloat16):': replaced(
        "            loss = torch", '            with torch.autocast("cuda", dtype=torch.bfloat16):\n                loss = torch'),
}  # fmt: skip


@pytest.mark.parametrize("line", OTHER_LINES)
@pytest.mark.every_change("fused=True", "model.compile()", "torch.inference_mode()")
def test_a_line_of_the_loop(tmp_path, line):
    source = (PROGRAMS / "small_training.py").read_text()
    edited = OTHER_LINES[line](source)
    assert edited != source
    assert line in printed_texts().replace('" + std::to_string(left) + "', "1")
    # Compiling is what other tests are for: here the line has to be one that PyTorch takes.
    plain, after = trained(tmp_path, source), trained(tmp_path, edited, TORCHDYNAMO_DISABLE="1")
    assert after["classes"] == plain["classes"] and after["loss"] == pytest.approx(plain["loss"], rel=1e-4)


def printed_texts():
    """The texts of src/advise, those that go on in the next line joined."""
    out = []
    for path in sorted((harness.ROOT / "src/advise").glob("*.*")):
        if path.suffix in (".cc", ".h") and "_test" not in path.name:
            text = re.sub(r"//.*", "", path.read_text())
            text = re.sub(r'" \+\s+std::to_string\(left\) \+\s+"', '" + std::to_string(left) + "', text)
            out.append(re.sub(r'"\s*\n\s*"', "", text).replace('\\"', '"'))
    return "\n".join(out)


# Words of prose that look like calls, and lines for CUDA, several ranks or another tool's trace, of which a test here can see no more than
# that there are such names.
NAMES = {
    "model.to": torch.nn.Module.to, "batch.to": torch.Tensor.to, "item": torch.Tensor.item, "cpu": torch.Tensor.cpu,
    "torch.utils.data.get_worker_info": torch.utils.data.get_worker_info, "torch.profiler.schedule": torch.profiler.schedule,
    "no_sync": torch.nn.parallel.DistributedDataParallel.no_sync, "synchronize": torch.cuda.synchronize, "next": next, "iter": iter,
    "DataLoader": torch.utils.data.DataLoader, "torch.set_num_threads": torch.set_num_threads, "torch.autocast": torch.autocast,
    "torch.set_float32_matmul_precision": torch.set_float32_matmul_precision, "model.compile": torch.nn.Module.compile,
    "torch.inference_mode": torch.inference_mode, "torch.amp.GradScaler": torch.amp.GradScaler,
}  # fmt: skip
OURS = {"flatout.data.packed", "batch"}  # of flatout.data


def test_every_call_that_is_printed_is_one_of_these():
    literals = " ".join(re.findall(r'"((?:[^"\n])*)"', re.sub(r"#include.*", "", printed_texts())))
    called = {name.removeprefix(".") for name in re.findall(r"[A-Za-z_.][\w.]*(?=\()", literals)}
    unknown = {name for name in called - NAMES.keys() - OURS if not name.startswith(("run.", "std."))}
    assert not unknown, "a printed line has a call that no test applies"


def test_arguments_of_transformers_are_its_own(tmp_path):
    transformers = pytest.importorskip("transformers")
    fields = {field.name for field in dataclasses.fields(transformers.TrainingArguments)}
    named = set(re.findall(r'"(dataloader_\w+|per_device_\w+)"', printed_texts()))
    assert named == {"dataloader_num_workers", "dataloader_prefetch_factor", "dataloader_persistent_workers", "dataloader_pin_memory",
                     "per_device_train_batch_size"}  # fmt: skip
    assert named <= fields


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Files of which each takes Pillow some milliseconds."""
    rng = random.Random(0)
    folder = tmp_path_factory.mktemp("my pictures")  # with a blank
    for number in range(22):
        coarse = Image.frombytes("RGB", (80, 60), rng.randbytes(80 * 60 * 3))
        path = folder / "ab"[number % 2] / ("%03d.jpg" % number)
        path.parent.mkdir(exist_ok=True)
        coarse.resize((800, 600), Image.Resampling.BICUBIC).save(path, quality=92)
    return folder


def observed(tmp_path, pictures, kind, *options):
    given = tmp_path / "given.pt"
    program = PROGRAMS / "trains_on_pictures.py"
    outcome = harness.run_observed([harness.PYTHON, program, pictures, given, kind, VISION], tmp_path / "seen", options=options)
    assert outcome.code == 0, outcome.said
    return outcome, torch.load(given)


def advice_of(outcome):
    return [fix for finding in outcome.report["findings"] for fix in finding.get("advice", [])]


@pytest.mark.parametrize("kind", ["same", "random"])
@pytest.mark.every_change("random")
def test_the_engines_line_trains_the_same(tmp_path, pictures, kind):
    if not (harness.ROOT / "build/torchvision").is_dir():
        pytest.skip("torchvision is not in build/torchvision; `make test` fetches it")
    seen, before = observed(tmp_path, pictures, kind)
    (engine,) = (fix for fix in advice_of(seen) if fix["knob"] == "dataloader.engine")
    edited = tmp_path / "edited.py"
    edited.write_text(applied((PROGRAMS / "trains_on_pictures.py").read_text(), engine["how"]))
    given = tmp_path / "after.pt"
    environment = harness.environment(PYTHONPATH=harness.ROOT / "python")
    done = harness.run_plain([harness.PYTHON, edited, pictures, given, kind, VISION], env=environment)
    assert done.code == 0, done.err.decode()
    after = torch.load(given)
    assert len(after) == len(before), "drop_last"
    for number, ((pictures_now, classes_now), (pictures_then, classes_then)) in enumerate(zip(after, before)):
        assert type(pictures_now) is type(pictures_then) is torch.Tensor and pictures_now.dtype == pictures_then.dtype
        assert pictures_now.shape == pictures_then.shape and classes_now.dtype == classes_then.dtype
        # torch's random transforms draw from the generator that shuffles the next epoch, the engine's do not: "different random stream".
        if kind == "same" or number < 22 // 5:
            assert torch.equal(classes_now, classes_then), "the same shuffle"
    now, then = (torch.cat([one for one, _classes in batches]) for batches in (after, before))
    if kind == "same":
        assert torch.allclose(now, then, atol=0.02)
        return
    assert not torch.allclose(now, then, atol=0.02), "from another random stream"
    for one, other in ((now.mean((0, 2, 3)), then.mean((0, 2, 3))), (now.std((0, 2, 3)), then.std((0, 2, 3)))):
        assert torch.allclose(one, other, atol=0.1), (one, other)


def test_of_a_dataset_of_ones_own_nothing_is_printed_that_would_train_another(tmp_path, pictures):
    """Pictures that it rotates and brightens: a line with a crop, without its numbers and its shuffle, was printed as its first fix."""
    seen, given = observed(tmp_path, pictures, "own")
    lines = [fix["how"] for fix in advice_of(seen)]
    assert lines and not any("flatout.data.images(" in line or "in place of" in line for line in lines), lines
    assert "flatout.data.images(" not in seen.said and not re.search(r"Fix \d +\S+ +flatout", seen.said)
    for fix in advice_of(seen):
        if fix["knob"] == "dataset.engine":
            assert fix["how"].startswith("an estimate, not a line to paste") and "to" not in fix
            assert "predicted_speedup" not in fix or (fix["interval"][0] == 1 and "at most this" in fix["how"])
    # The knob is refused, and the program trains as without it.
    (tmp_path / "plan.toml").write_text('[knobs]\ndataloader.engine = "native"\n')
    (tmp_path / "again").mkdir()
    refused, same = observed(tmp_path / "again", pictures, "own", "--plan", tmp_path / "plan.toml")
    assert "dataloader.engine" in refused.said
    assert all(torch.equal(one[0], other[0]) and torch.equal(one[1], other[1]) for one, other in zip(given, same)) and len(given) == len(same)
