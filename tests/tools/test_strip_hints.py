"""tools/strip_hints.py: the hooks are installed as the code that they are, without what hints would cost."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import strip_hints  # noqa: E402

FLATOUT = ROOT / "python/flatout"
SOURCES = sorted(path.relative_to(FLATOUT) for folder in ("hooks", "native_form") for path in (FLATOUT / folder).rglob("*.py"))

HINTED = '''\
"""A page."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    Pair = "tuple[int, int]"


class One:
    """Kept."""

    if TYPE_CHECKING:
        id: str

        def get(self) -> Any: ...

    held: dict[str, int] = {}

    def f(self, ä: str, b: tuple[int,
                                 str] = (1, "->"), *rest: Any, key: Any = {"a": ":"}, **more: Any) -> tuple[int, str] | None:
        self.x: list[int] = [ä, b]  # type: ignore[misc]
        whole: int = 3
        return lambda a, b=2: (a, b, whole)
'''


def test_hints_become_spaces_and_lines_stay():
    text = HINTED
    bare = strip_hints.strip(text, "page.py")
    assert len(bare.split("\n")) == len(text.split("\n"))
    assert [line.strip() for line in bare.split("\n") if "TYPE_CHECKING" in line or "annotations" in line] == []
    for before, after in zip(text.encode().split(b"\n"), bare.encode().split(b"\n")):
        assert len(after) <= len(before) and all(one in (letter, 32) for letter, one in zip(before, after)), after
    names = {}
    exec(compile(bare, "page.py", "exec"), names)
    one = names["One"]()
    assert one.f("ä")(5) == (5, 2, 3) and one.x == ["ä", (1, "->")] and one.held == {}
    assert names["One"].f.__annotations__ == {} and "id" not in vars(names["One"])


@pytest.mark.parametrize("text, word", [
    ("x: int\n", "page.py:1: a hint without a value"),
    ("class A:\n    x: int\n", "page.py:2: a hint without a value"),
    ("def f() -> \\\n        int:\n    pass\n", "different lines"),
    ("@dataclass\nclass A:\n    x: int = 0\n", "page.py:3: the class's decorator may read this hint"),
    ("@dataclasses.dataclass(frozen=True)\nclass A:\n    def f(self):\n        pass\n    x: int = 0\n", "page.py:5: the class's decorator"),
    ("@dataclass\nclass A:\n    x: int\n", "page.py:3: "),
    ("import dataclasses as d\ndef f():\n    @d.dataclass\n    class A:\n        if d:\n            x: int = 0\n", "page.py:6: the class's decorator"),
])
def test_what_cannot_be_taken_out_ends_the_build(text, word):
    with pytest.raises(SystemExit, match=word):
        strip_hints.strip(text, "page.py")


@pytest.mark.parametrize("text, base", [("from typing import NamedTuple", "NamedTuple"), ("import typing", "typing.NamedTuple")])
def test_fields_of_a_named_tuple_stay(text, base):
    text += f"\n\n\nclass A({base}):\n    x: int\n    y: str = ''\n"
    assert strip_hints.strip(text, "page.py") == text


def test_a_decorated_class_without_hints_of_its_own_is_stripped():
    text = "@final\nclass A:\n    if TYPE_CHECKING:\n        x: int\n\n    def f(self):\n        self.y: int = 3\n"
    assert ast.unparse(ast.parse(strip_hints.strip(text, "page.py"))) == "@final\nclass A:\n\n    def f(self):\n        self.y = 3"


class Bare(ast.NodeTransformer):
    """A tree without hints, made in another way than the tool does."""

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_FunctionDef(self, node):
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return ast.Assign([node.target], node.value, lineno=node.lineno)

    def visit_If(self, node):
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    def visit_Assign(self, node):
        return None if ast.unparse(node) == "TYPE_CHECKING = False" else self.generic_visit(node)

    def visit_ImportFrom(self, node):
        return None if node.module == "__future__" else node

    def visit_ClassDef(self, node):
        return node if strip_hints.is_named_tuple(node) else self.generic_visit(node)


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_the_code_is_the_same(path):
    """Node by node, and on the same lines."""
    text = (FLATOUT / path).read_text()
    bare = strip_hints.strip(text, str(path))
    assert ast.dump(ast.parse(bare)) == ast.dump(Bare().visit(ast.parse(text)))
    lines = [(node.lineno, type(node)) for node in ast.walk(Bare().visit(ast.parse(text))) if isinstance(node, (ast.stmt, ast.Call))]
    assert lines == [(node.lineno, type(node)) for node in ast.walk(ast.parse(bare)) if isinstance(node, (ast.stmt, ast.Call))]


def test_every_hook_has_hints():
    """So that there is something to take out."""
    assert len(SOURCES) > 80
    bare = [str(path) for path in SOURCES if any(
        isinstance(node, ast.FunctionDef) and node.returns is None for node in ast.walk(ast.parse((FLATOUT / path).read_text())))]
    assert bare == []


def test_what_is_built_has_none(flatout):
    folder = flatout.resolve().parent.parent / "lib/flatout/hooks"
    for path in SOURCES:
        built = folder / (path if path.parts[0] == "native_form" else path.relative_to("hooks"))
        assert built.read_text() == strip_hints.strip((FLATOUT / path).read_text(), str(path)), f"{path}: build again"


def test_it_runs_by_itself(tmp_path):
    (tmp_path / "a.py").write_text("def f(x: int) -> int:\n    return x\n")
    subprocess.run([sys.executable, ROOT / "tools/strip_hints.py", "--from", tmp_path, "--to", tmp_path / "out", "a.py=b/c.py"], check=True)
    assert (tmp_path / "out/b/c.py").read_text() == "def f(x     )       :\n    return x\n"
