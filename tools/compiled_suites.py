"""Suites of C++: GoogleTest under the sanitizers, and the fuzzers; how each preset is configured and built."""

import concurrent.futures
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from head_start import HeadStart
from second_look import second_look
from suite_tally import Skip, Tally, count_ctest

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"
FUZZ_SECONDS = 4  # each; as many at a time as there are jobs
CLANG = "19"
SANITIZERS = ("asan", "tsan")
LEAVES_IDLE = ("mypy", "web", "simgpu", "pytest")  # they measure nothing, and leave cores idle
# A report shows so many frames of each allocation, where 30 are usual: keeping them is a sixth of what the tests take.
ASAN_OPTIONS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "malloc_context_size=6")}


def call(command, timeout_s=1800, **extra_environment):
    """The command's exit status with its output passed through; 124 when it was out of time."""
    sys.stdout.flush()
    try:
        return subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **extra_environment},
                              timeout=timeout_s).returncode
    except subprocess.TimeoutExpired:
        print(f"flatout: {command[0]} did not end within {timeout_s} s")
        return 124


def compiler(preset):
    """Options that choose the preset's compiler: Clang for the sanitizers where it is installed, else CMake's own choice.

    Clang takes half of GCC's time for code that is not optimised, and what the release is compiled with sees GCC anyway. Its linker
    takes a quarter of the time of the usual one for programs of 100 MB, of which there are a hundred.
    """
    if preset not in SANITIZERS or not (shutil.which(f"clang++-{CLANG}") and has_runtime("asan") and has_runtime("tsan")):
        return []
    linker = "-fuse-ld=lld" if shutil.which(f"ld.lld-{CLANG}") else ""
    return [f"-DCMAKE_C_COMPILER=clang-{CLANG}", f"-DCMAKE_CXX_COMPILER=clang++-{CLANG}",
            *(f"-DCMAKE_{kind}_LINKER_FLAGS={linker}" for kind in ("EXE", "SHARED", "MODULE"))]


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
    ctest = [*still, "ctest", "--test-dir", f"build/{preset}", "--output-on-failure", "--no-tests=error"]
    status = call([*ctest, "-j", jobs, "--output-junit", folder / "ctest.xml"], GTEST_OUTPUT=f"xml:{folder}/gtest/", GTEST_BRIEF="1", **ASAN_OPTIONS)
    tally = ctest_tally(folder, status)

    def again(_names):
        alone = folder / "second"
        (alone / "gtest").mkdir(parents=True)
        rerun = call([*ctest, "--rerun-failed", "--output-junit", alone / "ctest.xml"], GTEST_OUTPUT=f"xml:{alone}/gtest/", GTEST_BRIEF="1", **ASAN_OPTIONS)
        return ctest_tally(alone, rerun)

    return second_look(tally, again)


def ctest_tally(folder, status):
    if not (folder / "ctest.xml").is_file():
        return Tally(failed=1, note="ctest left no report")
    tally = count_ctest(folder / "ctest.xml", folder / "gtest")
    if status and not tally.failed:
        tally.failed, tally.note = 1, f"ctest gave exit {status}"
    return tally


def clang(name):
    path = shutil.which(f"{name}-{CLANG}")
    if not path:
        raise Skip(f"{name}-{CLANG} is not installed")
    return path


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
