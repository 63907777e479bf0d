"""check_binary.py reads what readelf and objdump print, and refuses what must not ship."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("check_binary", ROOT / "tools" / "check_binary.py")
check_binary = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_binary)

NEEDED = """
Dynamic section at offset 0x2d0 contains 28 entries:
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
"""
STDCXX = " 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]\n"
RUNPATH = " 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../lib:/home/me/build]\n"
SYMBOLS = """
0000000000000000      DF *UND*	0000000000000000 (GLIBC_2.34) __libc_start_main
0000000000000000      DF *UND*	0000000000000000 (GCC_3.0)    _Unwind_Resume
0000000000000000  w   D  *UND*	0000000000000000  Base        __gmon_start__
"""


def test_a_clean_program():
    assert check_binary.dynamic_problems(NEEDED, check_binary.PROGRAM_MAY_NEED) == []
    assert check_binary.symbol_problems(SYMBOLS) == []


def test_a_module_may_need_only_libc():
    assert len(check_binary.dynamic_problems(NEEDED, check_binary.MODULE_MAY_NEED)) == 1


def test_a_shared_libstdcxx_and_a_foreign_run_path():
    problems = check_binary.dynamic_problems(NEEDED + STDCXX + RUNPATH, check_binary.PROGRAM_MAY_NEED)
    assert len(problems) == 2 and "libstdc++" in problems[0] and "/home/me/build" in problems[1]


def test_symbols_that_are_too_new():
    line = "0000000000000000      DF *UND*	0000000000000000 ({}) {}\n"
    text = SYMBOLS + line.format("GLIBC_2.36", "arc4random") + line.format("GLIBCXX_3.4.30", "_ZSt4cout")
    problems = check_binary.symbol_problems(text)
    assert len(problems) == 2 and "arc4random" in problems[0] and "libstdc++" in problems[1]


EXPORTS = """
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.14) memcpy
0000000000001b40 g    DF .text\t0000000000000006  FLATOUT_1   flatout_step_end
0000000000000000 g    DO *ABS*\t0000000000000000  FLATOUT_1   FLATOUT_1
"""


def test_libraries_export_their_own_names_only():
    own = "flatout_step_end"
    assert check_binary.export_problems(EXPORTS, own) == []
    more = "0000000000001b40  w   DF .text\t0000000000000006  Base        _ZNSt6vectorIiE\n"
    assert check_binary.export_problems(EXPORTS + more, own) == ["exports _ZNSt6vectorIiE"]
    assert check_binary.export_problems("", own) != [], "nothing read is a fault"


def test_empty_output_is_a_fault_and_not_a_pass():
    assert check_binary.dynamic_problems("", check_binary.PROGRAM_MAY_NEED)
    assert check_binary.symbol_problems("")


def test_a_build_that_is_not_there(tmp_path, capsys):
    assert check_binary.main([str(tmp_path)]) == 1
    assert "make build" in capsys.readouterr().out
