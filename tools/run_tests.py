#!/usr/bin/env python3
"""Run every suite of flatout, show its progress, and end with one sum.

    run_tests.py [--jobs N] [--only SUITE...] [--skip SUITE...]

Suites pass their output through, so that a long one can be watched; what they
did is read from the reports they write, not from their exit status alone. A
suite fails when a test failed, when it crashed, when it ran out of time, when
it ran no test at all, and when more than a fifth of its tests had to measure
twice. Few failures get a second look (second_look.py) and are named. What the
machine cannot run is skipped by name and with the reason, and never counted as
passed. Exit status 1 if anything failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time

from compiled_suites import RESULTS, ROOT, call, clang, cpp, fuzz, head_start, libfuzzer
from second_look import MOST, second_look
from suite_tally import Skip, Tally, bounded_retries, count_junit

# With --only, or as part of `make lint`: dev has the same tests as asan, for quick
# turns; clang-tidy takes ten minutes of two cores, libFuzzer wants all of it compiled anew, and slow tests start many programs.
ON_REQUEST = ("dev", "tidy", "slow", "slow_simgpu", "libfuzzer")
MEASURING = ("oracle", "zoo")  # whole folders; of tests/tune and tests/search what tests/conftest.py marks
SIMULATED = "tests/simgpu"  # on a simulated CUDA device, under PyTorch's CUDA build
LINTERS = ("layers", "schema", "words", "wrap", "docs", "format", "mypy", "tidy", "shellcheck")


def check(*command):
    return Tally(passed=1) if call(command) == 0 else Tally(failed=1)


def python_tests(name, jobs, *arguments):
    # `make build` makes the binary alone; the tests also want example reports, the C library, a pretended driver.
    if call(["cmake", "--build", "build/release", "-j", jobs]):
        return Tally(failed=1, note="does not build")
    tally = pytest_tally(RESULTS / f"{name}.xml", *arguments, "--durations=10")

    def again(_names):
        alone = ("-n", "0", "--last-failed", "--last-failed-no-failures=none")
        return pytest_tally(RESULTS / f"{name}-second.xml", *arguments, *alone)

    return bounded_retries(second_look(tally, again))


def pytest_tally(report, *arguments):
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    # schemathesis is used as a program; its plugin would be loaded into every test run. Beside three busy
    # processes on two cores the tests take an hour: the limit is for what hangs.
    status = call([sys.executable, "-m", "pytest", "-p", "no:schemathesis", *arguments, "-ra", f"--junitxml={report}"], timeout_s=7200)
    if not report.is_file():
        return Tally(failed=1, note=f"pytest gave exit {status} and no report")
    tally = count_junit(report)
    if status not in (0, 1) or (status and not tally.failed):  # 1: tests failed; more: it was stopped, or is broken
        tally.failed, tally.note = max(tally.failed, 1), f"pytest gave exit {status}"
    return tally


def simulated(name, jobs, *arguments):
    if not (ROOT / "build" / "simgpu" / "lib" / "libcudart.so.13").is_file():
        raise Skip("PyTorch's CUDA build is not there (tests/simgpu/prepare.py fetches it)")
    return python_tests(name, jobs, *arguments)


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
    tally += node_tally(results / "unit.xml", "test", "--reporter=default", "--reporter=junit", f"--outputFile.junit={results}/unit.xml")
    why_not = no_browser()
    if why_not:
        print(f"  the page in a browser: skipped, {why_not}")
        tally += Tally(skipped=1, note=why_not)
        return tally
    tally += second_look(browser_tally(results / "browser.xml"), lambda names: browser_tally(results / "second.xml", *names))
    return tally


def browser_tally(report, *names):
    return node_tally(report, "browser", report, *names)


def node_tally(report, script, *arguments):
    failed = call(["npm", "--prefix", "web", "run", "--silent", script, "--", *arguments], timeout_s=900)
    found = count_junit(report) if report.is_file() else Tally()
    return found if found.failed or (found.passed and not failed) else Tally(failed=1)


def no_browser():
    """Why the page cannot be driven here; empty where it can."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return "Chromium is not installed"
    version = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return "" if int(re.sub(r"^v(\d+).*", r"\1", version.strip()) or 0) >= 20 else "Node is older than 20"


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
        # Files are shared out to the cores in these two. The sanitizers' builds have what they and the page's tests leave idle.
        "simgpu": lambda: simulated("simgpu", jobs, SIMULATED, *(f"--ignore={SIMULATED}/{name}" for name in ("zoo", "tune")), "-n", str(jobs), "--dist=loadfile"),
        "pytest": lambda: python_tests("pytest", jobs, "tests", *(f"--ignore=tests/{name}" for name in MEASURING),
                                       f"--ignore={SIMULATED}", "-m", "not measures", "-n", str(jobs), "--dist=loadfile"),
        "asan": lambda: cpp("asan", jobs),
        "tsan": lambda: cpp("tsan", jobs),
        "fuzz": lambda: fuzz(jobs),
        # The simulated device computes in time of its own, so that two programs beside each other are as right as one.
        "cuda_zoo": lambda: simulated("cuda_zoo", jobs, f"{SIMULATED}/zoo", f"{SIMULATED}/tune", "-n", str(jobs)),
        # These measure, and so have the machine to themselves.
        "tune": lambda: python_tests("tune", jobs, "tests/tune", "tests/search", "-m", "measures"),
        # Two, since modules of tests have one name in both.
        "slow": lambda: python_tests("slow", jobs, "tests", f"--ignore={SIMULATED}", "--ignore=tests/zoo", "--slow", "-m", "slow"),
        "slow_simgpu": lambda: simulated("slow_simgpu", jobs, SIMULATED, "--slow", "-m", "slow"),
        "oracle": lambda: python_tests("oracle", jobs, "tests/oracle"),
        "zoo": lambda: python_tests("zoo", jobs, "tests/zoo"),
    }


def since_make_began():
    """What `make test` took by now, with fetching and compiling; empty where it did not start this."""
    began = os.environ.get("FLATOUT_MAKE_BEGAN", "")
    return f", and {time.time() - int(began):.0f} s since make began" if began.isdigit() else ""


def run(chosen, all_suites, jobs=1):
    """Name -> tally of each chosen suite; None where it was skipped."""
    lines, total, any_failed = [], Tally(), False
    first = time.monotonic()
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
        note += f", unstable: {', '.join(tally.unstable)}" if tally.unstable else ""
        lines.append(f"  {name:<10} {word:<6} {tally.text}, {time.monotonic() - began:.0f} s{note}")
        print(lines[-1])
    print("\n" + "\n".join(lines))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "summary.txt").write_text(total.text + "\n")
    if total.passed + total.failed == 0:
        print("nothing was run")
        any_failed = True
    if total.failures:
        print(f"failed: {', '.join(total.failures)}")
    if total.unstable:
        print(f"unstable, passed only when run alone: {', '.join(total.unstable)}")
    if len(total.unstable) > MOST:
        print(f"more than {MOST} are unstable: that is no accident")
        any_failed = True
    print(f"{time.monotonic() - first:.0f} s" + since_make_began())
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
