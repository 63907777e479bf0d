#!/usr/bin/env python3
"""Run every suite of flatout, show its progress, and end with one sum.

    run_tests.py [--jobs N] [--only SUITE...] [--skip SUITE...]

Suites pass their output through, so that a long one can be watched; what they
did is read from the reports they write, not from their exit status alone. A
suite fails when a test failed, when it crashed, when it ran out of time, when
it ran no test at all, and when more than a fifth of its tests had to measure
twice. What the machine cannot run is skipped by name and with the reason, and
never counted as passed. Exit status 1 if anything failed.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from head_start import HeadStart

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"
RETRIED_SHARE = 0.2  # of a suite's tests may measure twice; above it, either the machine or the test is not fit to tell
FUZZ_SECONDS = 4  # each; as many at a time as there are jobs
CLANG = "19"
# With --only, or as part of `make lint`: dev has the same tests as asan, for quick
# turns; clang-tidy takes ten minutes of two cores, libFuzzer wants all of it compiled anew, and slow tests start many programs.
ON_REQUEST = ("dev", "tidy", "slow", "libfuzzer")
MEASURING = ("oracle", "zoo")  # whole folders; of tests/tune and tests/search what tests/conftest.py marks
SIMULATED = "tests/simgpu"  # on a simulated CUDA device, under PyTorch's CUDA build
SANITIZERS = ("asan", "tsan")
LEAVES_IDLE = ("simgpu", "pytest")  # they measure nothing, and wait for programs
LINTERS = ("layers", "schema", "words", "wrap", "docs", "format", "mypy", "tidy", "shellcheck")


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    retried: int = 0  # measured twice, whatever became of it
    note: str = ""

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.retried += other.retried
        return self

    @property
    def text(self):
        """The counts, as they stand behind a suite's name and in the last line."""
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


class Skip(Exception):
    """This machine cannot run the suite; the text says why."""


def call(command, timeout_s=1800, **extra_environment):
    """The command's exit status with its output passed through; 124 when it was out of time."""
    sys.stdout.flush()
    try:
        return subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **extra_environment},
                              timeout=timeout_s).returncode
    except subprocess.TimeoutExpired:
        print(f"flatout: {command[0]} did not end within {timeout_s} s")
        return 124


def check(*command):
    return Tally(passed=1) if call(command) == 0 else Tally(failed=1)


def count_junit(path):
    """What one JUnit file (pytest's) or GoogleTest file says, case by case."""
    tally = Tally()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        tally.retried += any(one.get("name") == "retried" for one in case.iter("property"))
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed += 1
        elif case.find("skipped") is not None or case.get("result") in ("skipped", "suppressed") \
                or case.get("status") == "notrun":
            tally.skipped += 1
        else:
            tally.passed += 1
    return tally


def count_ctest(ctest_xml, gtest_folder):
    """ctest knows programs, GoogleTest knows cases: cases count, and a program that left no report counts as one."""
    tally = Tally()
    reports = {path.stem: count_junit(path) for path in sorted(gtest_folder.glob("*.xml"))}
    for report in reports.values():
        tally += report
    for program in ElementTree.parse(ctest_xml).getroot().iter("testcase"):
        report = reports.get(program.get("name") + "_test")
        if program.get("status") != "run":
            # "fail" without a failed case is a crash, a time-out or a leak found at the end.
            tally.failed += 0 if report and report.failed else 1
        elif report is None:
            tally.passed += 1
    return tally


def compiler(preset):
    """Options that choose the preset's compiler: Clang for the sanitizers where it is installed, else CMake's own choice.

    Clang takes half of GCC's time for code that is not optimised, and what the release is compiled with sees GCC anyway.
    """
    if preset in SANITIZERS and shutil.which(f"clang++-{CLANG}") and has_runtime("asan") and has_runtime("tsan"):
        return [f"-DCMAKE_C_COMPILER=clang-{CLANG}", f"-DCMAKE_CXX_COMPILER=clang++-{CLANG}"]
    return []


def configure(preset):
    """CMake's exit status. A folder that was made with another compiler is made anew: CMake would lose the preset's variables."""
    chosen = compiler(preset)
    cache = ROOT / "build" / preset / "CMakeCache.txt"
    if cache.is_file():
        line = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(errors="replace"), re.MULTILINE)
        if line and ("clang" in line[1]) != bool(chosen):
            shutil.rmtree(cache.parent)
    return call(["tools/setup/configure.sh", preset, *chosen, "--log-level=WARNING"])


def head_start(name, chosen, jobs):
    """What compiles the sanitizers' presets beside the suite, where both are to be run."""
    presets = [preset for preset in SANITIZERS if preset in chosen and name in LEAVES_IDLE]
    ready = [preset for preset in presets if configure(preset) == 0]
    if name == "pytest" and "asan" in ready:  # it looks at the hooks' module under ASan, too
        call(["cmake", "--build", "build/asan", "--target", "flatout_native", "-j", jobs])
    return HeadStart([ROOT / "build" / preset for preset in ready], RESULTS)


def cpp(preset, jobs):
    folder = RESULTS / preset
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "gtest").mkdir(parents=True)
    if configure(preset) or call(["cmake", "--build", f"build/{preset}", "-j", jobs]):
        return Tally(failed=1, note="does not build")
    # A thread sanitizer of GCC 12 cannot place its shadow memory when the kernel randomises addresses widely.
    still = ["setarch", platform.machine(), "-R"] if preset == "tsan" and shutil.which("setarch") else []
    status = call([*still, "ctest", "--test-dir", f"build/{preset}", "-j", jobs, "--output-on-failure", "--no-tests=error",
                   "--output-junit", folder / "ctest.xml"], GTEST_OUTPUT=f"xml:{folder}/gtest/", GTEST_BRIEF="1")
    if not (folder / "ctest.xml").is_file():
        return Tally(failed=1, note="ctest left no report")
    tally = count_ctest(folder / "ctest.xml", folder / "gtest")
    if status and not tally.failed:
        tally.failed, tally.note = 1, f"ctest gave exit {status}"
    return tally


def python_tests(name, jobs, *arguments):
    report = RESULTS / f"{name}.xml"
    # `make build` makes the binary alone; the tests also want example reports, the C library, a pretended driver.
    if call(["cmake", "--build", "build/release", "-j", jobs]):
        return Tally(failed=1, note="does not build")
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    # schemathesis is used as a program; its plugin would be loaded into every test run.
    status = call([sys.executable, "-m", "pytest", "-p", "no:schemathesis", *arguments, "-ra", "--durations=10", f"--junitxml={report}"],
                  timeout_s=2700)
    if not report.is_file():
        return Tally(failed=1, note=f"pytest gave exit {status} and no report")
    tally = count_junit(report)
    if status and not tally.failed:
        tally.failed, tally.note = 1, f"pytest gave exit {status}"
    return bounded_retries(tally)


def simulated(name, jobs, *arguments):
    if not (ROOT / "build" / "simgpu" / "lib" / "libcudart.so.13").is_file():
        raise Skip("PyTorch's CUDA build is not there (tests/simgpu/prepare.py fetches it)")
    return python_tests(name, jobs, *arguments)


def bounded_retries(tally):
    """One more failure where too many tests measured twice: then passing says little."""
    if tally.retried:
        tally.note = "; ".join(filter(None, [tally.note, f"{tally.retried} measured twice"]))
    if tally.retried > RETRIED_SHARE * (tally.passed + tally.failed):
        tally.failed += 1
        tally.note += f", more than {RETRIED_SHARE:.0%}: run it again on a quieter machine"
    return tally


def clang(name):
    path = shutil.which(f"{name}-{CLANG}")
    if not path:
        raise Skip(f"{name}-{CLANG} is not installed")
    return path


def sources(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def formatting():
    return check(clang("clang-format"), "--dry-run", "--Werror", *sources("*.cc", "*.h", "*.c"))


def tidy(jobs):
    """The product's sources; their tests would take as long again."""
    program = clang("clang-tidy")
    if call(["cmake", "--preset", "dev", "--log-level=WARNING"]):
        return Tally(failed=1, note="does not configure")
    files = [name for name in sources("src/*.cc") if not name.endswith("_test.cc")]
    # xargs shares the files out to the cores; its status is non-zero if any of them has a finding.
    done = subprocess.run(["xargs", "-P", str(jobs), "-n", "4", program, "-p", "build/dev", "--quiet",
                           "--extra-arg=-Wno-unknown-warning-option",  # the flags in there are GCC's
                           "--extra-arg=-Wno-deprecated-declarations"],  # of libstdc++ 12 seen by clang 19
                          cwd=ROOT, input="\n".join(files), text=True, stderr=subprocess.DEVNULL)
    return Tally(passed=1, note=f"{len(files)} files") if done.returncode == 0 else Tally(failed=1)


def mypy():
    """Hints of the whole package, as mypy.ini says. The first time takes half a minute of one core, for torch's own."""
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode != 0:
        raise Skip("mypy is not installed (make for-tests does it)")
    return check(sys.executable, "-m", "mypy")


def docs():
    if not (ROOT / "build" / "mkdocs" / "mkdocs").is_dir():
        raise Skip("mkdocs-material is not there (make for-tests fetches it)")
    return check(sys.executable, "tools/docs_site.py")


def shellcheck():
    if not shutil.which("shellcheck"):
        raise Skip("shellcheck is not installed")
    return check("shellcheck", *sources("*.sh", ".ci/run"))


def web():
    """The page of `flatout ui`: its parts, and the built page in Chromium over a server with made-up data."""
    if not shutil.which("npm"):
        raise Skip("npm is not installed (make for-tests does it)")
    if call(["tools/setup/web.sh"]):
        return Tally(failed=1, note="does not build")
    results = RESULTS / "web"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    tally = check("npm", "--prefix", "web", "run", "--silent", "types", "--", "--check")
    runs = {"unit": ["npm", "--prefix", "web", "run", "--silent", "test", "--", "--reporter=default", "--reporter=junit",
                     f"--outputFile.junit={results}/unit.xml"],
            "browser": ["npm", "--prefix", "web", "run", "--silent", "browser", "--", results / "browser.xml"]}
    why_not = no_browser()
    for name, command in runs.items():
        if name == "browser" and why_not:
            tally += Tally(skipped=1, note=why_not)
            print(f"  the page in a browser: skipped, {why_not}")
            continue
        failed = call(command, timeout_s=300)
        report = results / f"{name}.xml"
        found = count_junit(report) if report.is_file() else Tally()
        tally += found if found.failed or (found.passed and not failed) else Tally(failed=1)
    return tally


def no_browser():
    """Why the page cannot be driven here; empty where it can."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return "Chromium is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return "" if int(re.sub(r"^v(\d+).*", r"\1", version.strip()) or 0) >= 20 else "Node is older than 20"


def has_runtime(name):
    """Whether Clang is here with that part of compiler-rt, which is a package of its own."""
    program = shutil.which(f"clang++-{CLANG}")
    if not program:
        return False
    said = subprocess.run([program, f"-print-file-name=libclang_rt.{name}.a"], capture_output=True, text=True).stdout
    folder = subprocess.run([program, "-print-resource-dir"], capture_output=True, text=True).stdout.strip()
    return os.path.isabs(said.strip()) or any(pathlib.Path(folder).glob(f"lib/*/libclang_rt.{name}*.a"))


def fuzz(jobs):
    """With our own mutator, from the objects of `asan`: compiling all of it once more takes longer than fuzzing."""
    if configure("asan"):
        return Tally(failed=1, note="does not configure")
    return fuzz_with("own mutator", ROOT / "build" / "asan", [], jobs)


def libfuzzer(jobs):
    if not has_runtime("fuzzer"):
        raise Skip(f"clang++-{CLANG} with libFuzzer is not installed")
    folder = ROOT / "build" / "fuzz-libfuzzer"
    return fuzz_with("libFuzzer", folder, ["cmake", "--preset", "fuzz", "-B", folder, f"-DCMAKE_CXX_COMPILER=clang++-{CLANG}",
                                           "--log-level=WARNING"], jobs)


def fuzz_with(engine, folder, configured_by, jobs):
    if (configured_by and call(configured_by)) or call(["cmake", "--build", folder, "--target", "fuzzers", "-j", jobs]):
        return Tally(failed=1, note="does not build")
    artifacts = RESULTS / "fuzz"
    artifacts.mkdir(parents=True, exist_ok=True)
    if call([folder / "fuzzers" / "seeds", folder / "seeds"]):
        return Tally(failed=1, note="no seeds")
    tally = Tally(note=f"{engine}, {FUZZ_SECONDS} s each")
    programs = sorted((folder / "fuzzers").glob("*_fuzz"))
    with concurrent.futures.ThreadPoolExecutor(max_workers=int(jobs)) as pool:
        for passed in pool.map(lambda program: fuzz_one(program, folder, artifacts), programs):
            tally += Tally(passed=1) if passed else Tally(failed=1)
    return tally


def fuzz_one(program, folder, artifacts):
    """Whether it found nothing, with a line of what it covered. From the seeds each time, so that it takes as long."""
    name = program.name.removesuffix("_fuzz")
    corpus = folder / "corpus" / name
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    log = artifacts / f"{name}.txt"
    words = [program, f"-max_total_time={FUZZ_SECONDS}", "-rss_limit_mb=1024", "-timeout=10", "-keep_seed=1",
             "-print_funcs=0", f"-artifact_prefix={artifacts}/{name}-", corpus, folder / "seeds" / name]
    with open(log, "w") as out:
        try:
            status = subprocess.run([str(word) for word in words], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
                                    timeout=FUZZ_SECONDS * 3 + 60).returncode
        except subprocess.TimeoutExpired:
            status = 124
    text = log.read_text(errors="replace")
    if status:
        print(f"  {name}: FAILED with status {status}, its input is in {artifacts}\n{text[-4000:]}")
        return False
    done = re.search(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+)", text)
    all_edges = re.search(r"Loaded \d+ modules\s+\((\d+) ", text)
    if done and all_edges:
        print(f"  {name}: {done[1]} inputs, {done[2]} of {all_edges[1]} edges covered, {done[3]} features")
    else:
        print(f"  {name}: {text.strip().splitlines()[-1] if text.strip() else 'said nothing'}")
    return True


def suites(jobs):
    own = sys.executable
    return {
        "layers": lambda: check(own, "tools/check_layers.py"),
        "schema": lambda: check(own, "tools/gen_schema.py", "--check"),
        "words": lambda: check(own, "tools/check_words.py"),
        "wrap": lambda: check(own, "tools/wrap_docs.py", "--check"),
        "docs": docs,
        "format": formatting,
        "mypy": mypy,
        "shellcheck": shellcheck,
        "dev": lambda: cpp("dev", jobs),
        "tidy": lambda: tidy(jobs),
        "libfuzzer": lambda: libfuzzer(jobs),
        "binary": lambda: check(own, "tools/check_binary.py"),
        "web": web,
        # Files are shared out to the cores in these two, and the sanitizers' builds have what they leave idle.
        "simgpu": lambda: simulated("simgpu", jobs, SIMULATED, *(f"--ignore={SIMULATED}/{name}" for name in ("zoo", "tune")), "-n", str(jobs), "--dist=loadfile"),
        "pytest": lambda: python_tests("pytest", jobs, "tests", *(f"--ignore=tests/{name}" for name in MEASURING),
                                       f"--ignore={SIMULATED}", "-m", "not measures", "-n", str(jobs), "--dist=loadfile"),
        "asan": lambda: cpp("asan", jobs),
        "tsan": lambda: cpp("tsan", jobs),
        "fuzz": lambda: fuzz(jobs),
        # These measure, and so have the machine to themselves.
        "cuda_zoo": lambda: simulated("cuda_zoo", jobs, f"{SIMULATED}/zoo", f"{SIMULATED}/tune"),
        "tune": lambda: python_tests("tune", jobs, "tests/tune", "tests/search", "-m", "measures"),
        "slow": lambda: python_tests("slow", jobs, "tests/tune", "tests/search", "tests/oracle", "tests/faults", "tests/transparency", "tests/track_api",
                                     "tests/data", "tests/knobs",
                                     f"{SIMULATED}/tune", f"{SIMULATED}/zoo", f"{SIMULATED}/test_what_if.py", "--slow", "-m", "slow"),
        "oracle": lambda: python_tests("oracle", jobs, "tests/oracle"),
        "zoo": lambda: python_tests("zoo", jobs, "tests/zoo"),
    }


def run(chosen, all_suites, jobs=1):
    """Name -> tally of each chosen suite; None where it was skipped."""
    lines, total, any_failed = [], Tally(), False
    for name in chosen:
        print(f"\n== {name}", flush=True)
        began = time.monotonic()
        try:
            with head_start(name, chosen, jobs):
                tally = all_suites[name]()
        except Skip as reason:
            lines.append(f"  {name:<10} skipped: {reason}")
            print(lines[-1])
            continue
        if tally.passed + tally.failed == 0:
            tally.failed, tally.note = 1, "no test was run"
        total += tally
        any_failed |= tally.failed > 0
        word = "FAILED" if tally.failed else "ok"
        note = f" ({tally.note})" if tally.note else ""
        lines.append(f"  {name:<10} {word:<6} {tally.text}, {time.monotonic() - began:.0f} s{note}")
        print(lines[-1])
    print("\n" + "\n".join(lines))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "summary.txt").write_text(total.text + "\n")
    if total.passed + total.failed == 0:
        print("nothing was run")
        any_failed = True
    print(total.text)
    return 1 if any_failed else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", nargs="+", metavar="SUITE", help="these suites; `lint` names all linters")
    parser.add_argument("--skip", nargs="+", metavar="SUITE", default=[])
    options = parser.parse_args(argv)
    every = suites(options.jobs)
    wanted = options.only or [name for name in every if name not in ON_REQUEST]
    chosen = [name for name in every if (name in wanted or ("lint" in wanted and name in LINTERS))
              and name not in options.skip]
    unknown = set(wanted + options.skip) - set(every) - {"lint"}
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    return run(chosen, every, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
