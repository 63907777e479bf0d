"""dataloader.engine in loaders that a framework builds anew from the program's own: carried over."""

import json

import pytest
from hooked import run
from pictures import torchvision, write
from planned import PROGRAMS, Outcome

ENGINE = "dataloader.engine"


@pytest.mark.parametrize(("framework", "loader"), [("accelerate", "DataLoaderShard"), ("lightning", "DataLoader")])
@pytest.mark.every_change("lightning-DataLoader")
def test_the_engine_makes_the_batches_of_a_rebuilt_loader(tmp_path, framework, loader):
    torchvision()
    folder = write(tmp_path / "pictures", count=18)
    saw = {}
    for plan in (None, {ENGINE: "native"}):
        rings = tmp_path / ("native" if plan else "plain")
        rings.mkdir()
        extra = {"FLATOUT_PLAN": json.dumps(plan)} if plan else {}
        done = run(PROGRAMS / "rebuilt_pictures.py", json.dumps({"framework": framework, "folder": str(folder)}), rings=rings, **extra)
        assert done[0].returncode != 77, f"{framework} is not installed, though tools/setup/requirements_test.txt has it"
        saw[bool(plan)] = Outcome(*done)
    assert saw[False].saw == {"loader": loader, "torchs": 1} and saw[True].saw == {"loader": loader, "torchs": 0}
    assert saw[True].knobs[ENGINE]["applied"] and saw[True].ring.fact("loader")[-1]["engine"] == "native"
