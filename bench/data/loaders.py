#!/usr/bin/env python3
"""Measure loaders of images against each other on one set of JPEG files, all on the same cores.

    loaders.py [--only NAME ...] [--epochs 6] [--images 3000] [--json FILE] [--out docs/benchmarks/dataloading.md]
               [--peers VENV] [--ceilings PROGRAM] [--ceiling FILE ...] [--beside TEXT] [--page FILE] [--packed]

Each loader runs in a process of its own. One that is not installed is listed
with the reason. Wants a quiet machine: the load before the start stands in the
page. With --page, writes the page from such a JSON and measures nothing.
README.md beside this file says how each figure is taken.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys

import make_set
from loaderbench import adapters, ceilings, check_set, machine, packed_page, page, page_file, peer_link, schedule

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "bench-data"


@dataclasses.dataclass
class Settings:
    folder: pathlib.Path
    check_folder: pathlib.Path
    packed: pathlib.Path
    images: int
    batch_size: int
    epochs: int
    starts: int
    seed: int
    cores: int
    consumer_rate: float | None
    consumer_share: float
    threads: int | None


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*adapters.NAMES, *adapters.PACKED])
    parser.add_argument("--packed", action="store_true", help="sets that were packed once, and their page, instead of the JPEG files")
    parser.add_argument("--epochs", type=int, default=6, help="of them the first is discarded")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--starts", type=int, default=3, help="processes whose first batch is timed")
    parser.add_argument("--cpus", type=lambda text: {int(cpu) for cpu in text.split(",")}, default=os.sched_getaffinity(0),
                        help="numbers of the cores that all share, 0,1 for instance")
    parser.add_argument("--threads", type=int, help="of each peer; without it, the fastest count is searched")
    parser.add_argument("--consumer-rate", type=float, help="images/s that the consumer with a fixed step asks for")
    parser.add_argument("--consumer-share", type=float, default=0.8, help="without --consumer-rate: of what the fastest gives")
    parser.add_argument("--folder", type=pathlib.Path, help="a set of make_set.py; made below build/ otherwise")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build" / "peers", help="what peers_venv.sh made")
    parser.add_argument("--module-path", type=pathlib.Path, nargs="*", default=[ROOT / "python"],
                        help="where flatout.data is imported from")
    parser.add_argument("--ceilings", type=pathlib.Path, metavar="PROGRAM",
                        help="data_ceilings of a release build with -DFLATOUT_BENCH=ON, run once a round")
    parser.add_argument("--beside", default="", help="what ran beside it, for the page")
    parser.add_argument("--ceiling", type=pathlib.Path, nargs="*", default=[], help="JSON files of decode ceilings")
    parser.add_argument("--json", type=pathlib.Path, default=WORK / "loaders.json")
    parser.add_argument("--out", type=pathlib.Path, help="the page; none is written without it")
    parser.add_argument("--page", type=pathlib.Path, metavar="JSON", help="write --out from this file")
    options = parser.parse_args(argv)
    if options.epochs < 2:
        parser.error("--epochs must be at least 2: the first is discarded")
    if options.page and not options.out:
        parser.error("--page needs --out")
    options.only = options.only or list(adapters.PACKED if options.packed else adapters.NAMES)
    return options


def python_of(venv, peers):
    """The interpreter of an environment; ours where there is no such environment, so that the import error names what is missing."""
    folder = peers if venv == "peers" else peers.with_name(f"{peers.name}-{venv}")
    found = folder / "bin/python"
    return str(found) if venv != "own" and found.exists() else sys.executable


def read_ceilings(files):
    """The lines of all files: {"ceilings": [{"name", "images_per_s", "threads", "note", "aim": whether ours is held to it}]}."""
    lines = [line for file in files for line in json.loads(file.read_text())["ceilings"]]
    for line in lines:
        if missing := {"name", "images_per_s", "threads"} - line.keys():
            sys.exit(f"loaders: a line of --ceiling lacks {', '.join(sorted(missing))}: {line}")
    return lines


def link_maker(options, log):
    def make(name):
        adapter_venv = adapters.load(name).venv
        ours = options.module_path if adapter_venv == "own" else ()
        return peer_link.PeerLink(name, python_of(adapter_venv, options.peers), log, options.cpus, ours)

    return make


def measure(options):
    facts = machine.facts(len(options.cpus))
    folder = options.folder or WORK / f"set-{options.images}-{options.seed}"
    note = make_set.make(folder, options.images, options.seed, len(options.cpus)) if not options.folder else make_set.read_set(folder)
    if note is None:
        sys.exit(f"loaders: {folder} has no {make_set.SET_FILE}; make it with make_set.py")
    settings = Settings(folder, check_set.make(WORK / "check-set"), WORK / "packed", note["request"]["images"], options.batch_size,
                        options.epochs, options.starts, options.seed, len(options.cpus), options.consumer_rate, options.consumer_share,
                        options.threads)
    print(make_set.describe(note), flush=True)
    for path in folder.glob("*/*.jpg"):
        path.read_bytes()  # the page cache is warm from here on
    log_path = options.json.with_suffix(".log")
    alone = ceilings.Ceilings(options.ceilings, folder, options.cpus, options.seed) if options.ceilings else None
    with open(log_path, "w") as log:
        run = schedule.Run(link_maker(options, log), settings, say=lambda text: print(text, flush=True),
                           each_round=alone.measure if alone else lambda number: None)
        peers = run.measure(options.only)
    kept = {"images": settings.images, "batch_size": settings.batch_size, "epochs": settings.epochs, "starts": settings.starts,
            "seed": settings.seed, "warmed_each_epoch": True}
    return {"format": "flatout.bench.loaders/1", "machine": facts, "set": note, "settings": kept, "peers": peers,
            "ceilings": (alone.lines() if alone else []) + read_ceilings(options.ceiling), "beside": options.beside}


def main(argv=None):
    options = arguments(argv)
    if options.page:
        result = json.loads(options.page.read_text())
        result["ceilings"] = result.get("ceilings", []) + read_ceilings(options.ceiling)
    else:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        result = measure(options)
        options.json.write_text(json.dumps(result, indent=1) + "\n")
        print(f"wrote {options.json}")
    text = (packed_page if options.packed else page).page(result)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        page_file.write(options.out, text)
        print(f"wrote {options.out}")
    else:
        print(text)
    return 0 if any(not peer["why_not"] for peer in result["peers"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
