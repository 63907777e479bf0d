"""check_layers.py finds each kind of breach and passes what the table allows."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("check_layers", ROOT / "tools" / "check_layers.py")
check_layers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_layers)


def tree(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "src"


ALLOWED = [
    ("store/log.cc", '#include "run/event.h"'),
    ("store/log.cc", '#include "store/frame.h"'),
    ("store/log.cc", "#include <zstd.h>"),
    ("base/file.cc", "#include <unistd.h>"),
    ("inject/native.cc", '#include "run/phase.h"'),
    ("inject/native.cc", "#include <Python.h>"),
    ("cli/run.cc", '#include "launch/launch.h"'),
    ("base/file_test.cc", "#include <gtest/gtest.h>"),
    ("analyse/rules/input_bound.cc", '#include "run/timeline.h"'),
    ("data/cache/kept.cc", '#include "data/source/source.h"'),
    ("data/cache/kept.cc", '#include "data/pixels.h"'),
    ("data/decode/png/stream.cc", '#include "data/decode/luma.h"'),
    ("data/device/levels_test.cc", '#include "data/transform/chain.h"'),
    ("data/abi/calls.cc", '#include "data/open/open_loader.h"'),
]
BREACHES = [
    ("base/file.cc", '#include "run/event.h"'),
    ("store/log.cc", '#include "wire/ring.h"'),
    ("store/log.cc", '#include "record/recorder.h"'),
    ("store/log.cc", "  #  include \"record/recorder.h\""),
    ("inject/native.cc", '#include "run/run.h"'),
    ("inject/native.cc", '#include "base/file.h"'),
    ("cli/run.cc", "#include <Python.h>"),
    ("launch/launch.cc", "#include <CLI/CLI.hpp>"),
    ("launch/plan.cc", "#include <nlohmann/json.hpp>"),
    ("store/log.cc", '#include "log.h"'),
    ("store/log.cc", "#include <run/event.h>"),
    ("store/log.cc", '#include "utility/event.h"'),
    ("store/log.cc", "#include <gtest/gtest.h>"),
    ("collect/gpu.cc", "#include <nvml.h>"),
    ("analyse/rules/input_bound.cc", '#include "advise/advise.h"'),
    ("data/cache/kept.cc", '#include "data/feed/engine.h"'),
    ("data/decode/png/stream.cc", '#include "data/transform/kernels/kernels.h"'),
    ("data/abi/calls.cc", '#include "data/feed/loader.h"'),
    ("data/draws.cc", '#include "data/feed/engine.h"'),
    ("data/new/thing.cc", '#include "data/pixels.h"'),
    ("loose.cc", ""),
    ("helpers/x.cc", ""),
    ("store/CMakeLists.txt", "flatout_stage(store SOURCES a.cc DEPS base record LIBS zstd)"),
]


@pytest.mark.parametrize("name,line", ALLOWED)
def test_allowed(tmp_path, name, line):
    problems, read = check_layers.check(tree(tmp_path, **{name: line + "\n"}))
    assert problems == [] and read == 1


@pytest.mark.parametrize("name,line", BREACHES)
def test_breach_is_named_with_its_line(tmp_path, name, line):
    problems, _ = check_layers.check(tree(tmp_path, **{name: line + "\n"}))
    assert [(path.name, number) for path, number, _ in problems] == [(pathlib.Path(name).name, 1)]


KNOBS = [
    ("src/apply/tuner.cc", 'if (setting.knob == "batch.size") {', False),
    ("src/apply/tuner.cc", "if (setting.knob == run::knob_id::kBatchSize) {", False),
    ("src/apply/tuner.cc", "if (knob_id::kBatchSize != setting.knob) {", False),
    ("src/advise/device.cc", 'by_hand("batch.size", "", "")', False),
    ("src/advise/device.cc", 'by_hand(run::knob_id::kBatchSize, "", "")', True),
    ("src/apply/tuner.cc", 'if (knob.counts == run::KnobCounts::kSamples) {', True),
    ("src/apply/tuner.cc", '// such as "batch.size"', True),
    ("src/apply/tuner_test.cc", 'EXPECT_EQ(knob, "batch.size");', True),
    ("src/apply/knobs/batch_size.cc", 'if (knob == "batch.size") {', True),
    ("python/flatout/hooks/loader.py", "if knob == 'batch.size':", False),
    ("python/flatout/hooks/knobs/batch_size.py", 'id = "batch.size"', True),
]


@pytest.mark.parametrize("name,line,allowed", KNOBS)
def test_only_its_own_files_ask_which_knob_it_is(tmp_path, name, line, allowed):
    for path, text in (("schema/knobs.toml", '[[knob]]\nid = "batch.size"\n'), (name, "\n" + line + "\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    problems, _ = check_layers.check_knobs(tmp_path)
    assert [number for _, number, _ in problems] == ([] if allowed else [2])


def test_links_that_the_table_allows(tmp_path):
    text = """# DEPS record is only a comment
flatout_stage(store SOURCES a.cc b.cc DEPS run base LIBS zstd)
flatout_test(store SOURCES a_test.cc DEPS store)
"""
    problems, _ = check_layers.check(tree(tmp_path, **{"store/CMakeLists.txt": text}))
    assert problems == []


def test_an_empty_tree_is_an_error(tmp_path, capsys):
    (tmp_path / "src").mkdir()
    assert check_layers.main([str(tmp_path / "src")]) == 1
    assert "nothing was checked" in capsys.readouterr().out


def test_the_table_has_no_cycle():
    def reach(folder, seen):
        for entry in check_layers.ALLOWED[folder]:
            below = entry.split("/")[0]
            assert below not in seen, f"{below} includes itself through {seen}"
            reach(below, seen | {below})

    for folder in check_layers.ALLOWED:
        reach(folder, {folder})


@pytest.mark.parametrize("stage", check_layers.INSIDE)
def test_the_table_of_a_divided_stage_has_no_cycle_and_all_its_folders(stage):
    table = check_layers.INSIDE[stage]
    left = dict(table)
    while free := [folder for folder, below in left.items() if not below & left.keys()]:
        for folder in free:
            del left[folder]
    assert not left, f"these include each other: {sorted(left)}"
    assert set(table) == {path.name for path in (ROOT / "src" / stage).iterdir() if path.is_dir()}


INSTALLED = [
    ("flatout.h", "#include <stdint.h>", True),
    ("flatout.h", "#include <cstdint>", False),
    ("flatout.h", '#include "run/phase.h"', False),
    ("flatout.h", '#include "flatout/flatout.hpp"', False),
    ("flatout.hpp", '#include "flatout/flatout.h"', True),
    ("flatout.hpp", "#include <nlohmann/json.hpp>", False),
    ("other.h", "", False),
]


@pytest.mark.parametrize("name,line,allowed", INSTALLED)
def test_installed_headers_stand_alone(tmp_path, name, line, allowed):
    (tmp_path / "flatout").mkdir()
    (tmp_path / "flatout" / name).write_text(line + "\n")
    problems, read = check_layers.check_installed(tmp_path)
    assert (problems == []) is allowed and read == 1


def rows_of_the_page(text):
    """folder -> (what it may include, how the page has it), of the table of stages in ARCHITECTURE.md."""
    table = text.partition("## Stages")[2].partition("\n## ")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            yield cells[0].strip("`"), cells[3]


def included(folder, cell):
    """The last cell as a set; "all but a, b" is every other folder of src/."""
    names = {name.strip().strip("`") for name in cell.removeprefix("all but ").split(",") if name.strip()}
    return set(check_layers.ALLOWED) - names - {folder} if cell.startswith("all but ") else names


def test_the_page_has_the_table_that_is_held():
    page = dict(rows_of_the_page((ROOT / "ARCHITECTURE.md").read_text()))
    assert {folder: included(folder, cell) for folder, cell in page.items()} == check_layers.ALLOWED


def test_every_stage_has_a_readme():
    assert [folder for folder in check_layers.ALLOWED if not (ROOT / "src" / folder / "README.md").is_file()] == []
