"""run_tests.py counts what ran, and turns a suite that ran nothing into a failure."""

import importlib.util
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("run_tests", ROOT / "tools" / "run_tests.py")
run_tests = importlib.util.module_from_spec(SPEC)
sys.path.insert(0, str(ROOT / "tools"))
SPEC.loader.exec_module(run_tests)
import compiled_suites  # noqa: E402  (beside it)
import suite_tally  # noqa: E402

GTEST = """<testsuites tests="4" failures="1" disabled="1"><testsuite name="Ring">
<testcase name="A" status="run" result="completed"/>
<testcase name="B" status="run" result="completed"><failure message="x"/></testcase>
<testcase name="C" status="run" result="skipped"><skipped message="no"/></testcase>
<testcase name="D" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""
PASSED = '<testsuites><testsuite><testcase name="A" status="run" result="completed"/></testsuite></testsuites>'
PYTEST = """<testsuites><testsuite name="pytest">
<testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><error/></testcase>
<testcase name="d"><skipped/></testcase></testsuite></testsuites>"""


@pytest.fixture(autouse=True)
def own_results(tmp_path, monkeypatch):
    monkeypatch.setattr(run_tests, "RESULTS", tmp_path / "results")


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def ctest(**status):
    cases = "".join(f'<testcase name="{name}" status="{word}"/>' for name, word in status.items())
    return f"<testsuite>{cases}</testsuite>"


def numbers(tally):
    return tally.passed, tally.failed, tally.skipped


def test_cases_of_a_report(tmp_path):
    assert numbers(run_tests.count_junit(written(tmp_path / "a.xml", GTEST))) == (1, 1, 2)
    assert numbers(run_tests.count_junit(written(tmp_path / "b.xml", PYTEST))) == (1, 2, 1)


@pytest.mark.parametrize(
    "reports,programs,expected",
    [
        ({"ring_test": PASSED}, {"ring": "run"}, (1, 0, 0)),
        ({"ring_test": GTEST}, {"ring": "fail"}, (1, 1, 2)),
        # All cases passed and the program still failed: a leak or a race found at the end.
        ({"ring_test": PASSED}, {"ring": "fail"}, (1, 1, 0)),
        # A crash leaves no report.
        ({}, {"ring": "fail"}, (0, 1, 0)),
        ({}, {"script": "run"}, (1, 0, 0)),
    ],
)
def test_cases_of_ctest(tmp_path, reports, programs, expected):
    for name, text in reports.items():
        written(tmp_path / "gtest" / f"{name}.xml", text)
    report = written(tmp_path / "ctest.xml", ctest(**programs))
    tally = suite_tally.count_ctest(report, tmp_path / "gtest")
    assert numbers(tally) == expected
    # A crash, a race or a leak has no name, and so gets no second look.
    assert tally.failures == (["B"] if "B" in str(reports) else [])


def test_the_sum_is_the_last_line(capsys):
    good, bad = (lambda: run_tests.Tally(passed=3)), (lambda: run_tests.Tally(passed=1, failed=2))
    assert run_tests.run(["a", "b"], {"a": good, "b": bad}) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "4 passed, 2 failed"
    assert run_tests.run(["a"], {"a": good}) == 0
    assert (run_tests.RESULTS / "summary.txt").read_text() == "3 passed, 0 failed\n"


def test_a_suite_that_ran_nothing_fails(capsys):
    assert run_tests.run(["a"], {"a": run_tests.Tally}) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"


def test_a_skipped_suite_is_named_and_not_counted(capsys):
    def skip():
        raise run_tests.Skip("no such tool")

    good = {"a": lambda: run_tests.Tally(passed=1), "b": skip}
    assert run_tests.run(["a", "b"], good) == 0
    out = capsys.readouterr().out
    assert "b          skipped: no such tool" in out and out.splitlines()[-1] == "1 passed, 0 failed"
    assert run_tests.run(["b"], good) == 1


def test_skips_are_in_the_last_line(capsys):
    assert run_tests.run(["a"], {"a": lambda: run_tests.Tally(passed=2, skipped=3)}) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 0 failed, 3 skipped"
    assert (run_tests.RESULTS / "summary.txt").read_text() == "2 passed, 0 failed, 3 skipped\n"


def test_tests_that_measured_twice_are_counted_and_bounded(tmp_path):
    twice = '<testcase name="{}"><properties><property name="retried" value="off by 20 %"/></properties></testcase>'
    cases = twice.format("a") + "".join(f'<testcase name="{n}"/>' for n in range(4))
    tally = run_tests.count_junit(written(tmp_path / "a.xml", f"<testsuites>{cases}</testsuites>"))
    assert (tally.passed, tally.retried) == (5, 1)
    assert run_tests.bounded_retries(tally).failed == 0 and "1 measured twice" in tally.note
    too_many = run_tests.bounded_retries(run_tests.Tally(passed=5, retried=2))
    assert too_many.failed == 1 and "quieter machine" in too_many.note


@pytest.mark.parametrize(
    "first,second,failed,unstable",
    [
        (dict(passed=9, failed=2, failures=["a", "b"]), dict(passed=2), 0, ["a", "b"]),
        (dict(passed=9, failed=2, failures=["a", "b"]), dict(passed=7), 0, ["a", "b"]),  # ctest repeats whole programs
        (dict(passed=9, failed=2, failures=["a", "b"]), dict(passed=1, failed=1), 2, []),
        (dict(passed=9, failed=2, failures=["a", "b"]), dict(skipped=2), 2, []),
        (dict(passed=9, failed=2, failures=["a", "b"]), dict(passed=1), 2, []),
    ],
)
def test_few_failures_are_looked_at_again(first, second, failed, unstable):
    asked = []
    tally = run_tests.second_look(run_tests.Tally(**first), lambda names: asked.append(names) or run_tests.Tally(**second))
    assert (tally.failed, tally.unstable, tally.passed + tally.failed, asked) == (failed, unstable, 11, [["a", "b"]])


@pytest.mark.parametrize(
    "first",
    [
        dict(passed=9),
        dict(passed=9, failed=4, failures=list("abcd")),  # more than an accident explains
        dict(passed=9, failed=1, note="does not build"),
        dict(passed=9, failed=2, failures=["a"]),  # one of them has no name: a crash
    ],
)
def test_other_failures_are_not(first):
    def never(_names):
        raise AssertionError

    tally = run_tests.Tally(**first)
    assert run_tests.second_look(tally, never) is tally


def test_unstable_ones_are_named_and_bounded(capsys):
    def suite(*names):
        return lambda: run_tests.Tally(passed=5, unstable=list(names))

    assert run_tests.run(["a", "b"], {"a": suite("x", "y"), "b": suite("z")}) == 0
    out = capsys.readouterr().out
    assert "unstable: x, y\n" in out and "passed only when run alone: x, y, z" in out
    assert run_tests.run(["a", "b"], {"a": suite("x", "y"), "b": suite("z", "w")}) == 1


@pytest.mark.parametrize("rest,unstable", [("", ["test_once"]), ("def test_never():\n    assert False\n", [])])
def test_a_second_look_runs_what_failed_alone(tmp_path, monkeypatch, rest, unstable):
    seen = tmp_path / "seen"
    text = f"import pathlib\nseen = pathlib.Path({str(seen)!r})\n"
    text += "def test_once():\n    again = seen.exists()\n    seen.write_text('')\n    assert again\ndef test_good():\n    pass\n" + rest
    program = written(tmp_path / "test_program.py", text)
    arguments = [program, "-o", f"cache_dir={tmp_path / 'cache'}", "-c", written(tmp_path / "pytest.ini", "[pytest]\n"), "-n", "2"]
    monkeypatch.setattr(run_tests, "RESULTS", tmp_path)
    built = run_tests.call
    monkeypatch.setattr(run_tests, "call", lambda command, **more: 0 if command[0] == "cmake" else built(command, **more))
    tally = run_tests.python_tests("programs", 2, *arguments)
    assert tally.unstable == unstable and numbers(tally) == ((2, 0, 0) if unstable else (1, 2, 0))


def test_a_pytest_that_broke_off_gets_no_second_look(tmp_path, monkeypatch):
    text = "import pytest\ndef test_a():\n    assert False\ndef test_b():\n    pytest.exit('broken', returncode=3)\n"
    program = written(tmp_path / "test_program.py", text)
    tally = run_tests.pytest_tally(tmp_path / "report.xml", program, "-o", f"cache_dir={tmp_path / 'cache'}", "-c", written(tmp_path / "pytest.ini", "[pytest]\n"))
    assert tally.failed and tally.note == "pytest gave exit 3"


def test_every_suite_has_a_name():
    assert set(run_tests.LINTERS) < set(run_tests.suites(1))


@pytest.mark.parametrize("had,chosen,stays", [("/usr/bin/c++", [], True), ("/usr/bin/c++", ["clang"], False),
                                              ("/usr/bin/clang++-19", ["clang"], True), ("/usr/bin/clang++-19", [], False)])  # fmt: skip
def test_a_build_folder_of_another_compiler_is_made_anew(tmp_path, monkeypatch, had, chosen, stays):
    monkeypatch.setattr(compiled_suites, "ROOT", tmp_path)
    monkeypatch.setattr(compiled_suites, "compiler", lambda preset: chosen)
    monkeypatch.setattr(compiled_suites, "call", lambda command: 0)
    cache = written(tmp_path / "build/asan/CMakeCache.txt", f"X:STRING=1\nCMAKE_CXX_COMPILER:STRING={had}\n")
    assert compiled_suites.configure("asan") == 0
    assert cache.exists() == stays


def test_only_the_sanitizers_that_are_to_be_run_get_a_head_start(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(compiled_suites, "configure", lambda preset: 0)
    monkeypatch.setattr(compiled_suites, "call", lambda command: begun.append("native") or 0)
    monkeypatch.setattr(compiled_suites, "HeadStart", lambda folders, logs: begun.append([folder.name for folder in folders]))
    for name, chosen in (("pytest", ["pytest", "asan"]), ("simgpu", ["simgpu", "asan", "tsan"]), ("zoo", ["zoo", "asan"]), ("pytest", ["pytest"])):
        compiled_suites.head_start(name, chosen, 2)
    assert begun == ["native", ["asan"], ["asan", "tsan"], [], []]
