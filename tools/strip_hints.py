#!/usr/bin/env python3
"""Copy Python files without their type hints, so that hints cost nothing where flatout's hooks are loaded.

    strip_hints.py --from SOURCE --to TARGET NAME[=PLACE]...      SOURCE/NAME -> TARGET/PLACE

The hooks are loaded into every Python process of a recorded program that imports torch, often from files that may not be compiled
ahead. Hints become spaces, and what is imported for them empty lines: every line of code keeps its number and its text.
Python 3.9 and the standard library alone: the build runs it.
"""

import argparse
import ast
import pathlib
import sys


class Stripped:
    """One file's text, and the parts of it that go."""

    def __init__(self, text, name):
        self._name = name
        self._lines = [line.encode() for line in text.splitlines(keepends=True)]

    def blank(self, line, column, end_line, end_column):
        """Lines from 1, columns of UTF-8 from 0, as ast has them."""
        for number in range(line - 1, end_line):
            whole = self._lines[number]
            begin = column if number == line - 1 else 0
            end = end_column if number == end_line - 1 else len(whole.rstrip(b"\n"))
            self._lines[number] = whole[:begin] + b" " * (end - begin) + whole[end:]

    def node(self, node):
        self.blank(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    def between(self, before, after):
        """From the end of one node to that of another."""
        self.blank(before[0], before[1], after.end_lineno, after.end_col_offset)

    def arrow(self, function):
        """`-> T` of a function: from the last `)` before it to its end."""
        line, column = function.returns.lineno, function.returns.col_offset
        before = self._lines[line - 1][:column]
        at = before.rfind(b"->")
        if at < 0:
            raise SystemExit(f"{self._name}:{line}: `->` and its hint stand on different lines")
        self.blank(line, at, function.returns.end_lineno, function.returns.end_col_offset)

    def text(self):
        return b"\n".join(line.rstrip() for line in self._lines).decode() + "\n"


def arguments_of(function):
    args = function.args
    yield from (*args.posonlyargs, *args.args, *args.kwonlyargs)
    yield from (one for one in (args.vararg, args.kwarg) if one is not None)


def is_for_hints(node):
    """`from __future__ import annotations`, `TYPE_CHECKING = False`, and what is under `if TYPE_CHECKING:`."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" and [one.name for one in node.names] == ["annotations"]
    if isinstance(node, ast.Assign):
        return ast.unparse(node) == "TYPE_CHECKING = False"
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse


def is_named_tuple(node):
    """Whose hints are its fields."""
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base).rpartition(".")[2] == "NamedTuple" for base in node.bases)


def hints_of_class(node):
    """What stands in its __annotations__."""
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.AnnAssign):
            yield below
        elif not is_for_hints(below) and not isinstance(below, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from hints_of_class(below)


def kept(node):
    """The node and all below it, but for what goes as a whole."""
    yield node
    for below in ast.iter_child_nodes(node):
        if not is_for_hints(below):
            yield from kept(below)


def strip(text, name):
    """The same code without hints. SystemExit of a hint that stands for itself, as `x: int` does, and of one that a decorator may read."""
    tree = ast.parse(text, name)
    out = Stripped(text, name)
    for holder in (node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef))):
        for node in filter(is_for_hints, holder.body):
            out.node(node)
    fields = {id(line) for node in ast.walk(tree) if is_named_tuple(node) for line in node.body}
    for node in kept(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for one in arguments_of(node):
                if one.annotation is not None:
                    out.between((one.lineno, one.col_offset + len(one.arg.encode())), one.annotation)
            if node.returns is not None:
                out.arrow(node)
        elif isinstance(node, ast.ClassDef) and node.decorator_list:
            for line in hints_of_class(node):
                raise SystemExit(f"{name}:{line.lineno}: the class's decorator may read this hint, as @dataclass does; write out what it makes")
        elif isinstance(node, ast.AnnAssign) and id(node) not in fields:
            if node.value is None:
                raise SystemExit(f"{name}:{node.lineno}: a hint without a value cannot be taken out; put it under `if TYPE_CHECKING:`")
            out.between((node.target.end_lineno, node.target.end_col_offset), node.annotation)
    made = out.text()
    ast.parse(made, name)
    return made


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="source", type=pathlib.Path, required=True)
    parser.add_argument("--to", dest="target", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="+", metavar="NAME[=PLACE]")
    options = parser.parse_args(argv)
    for pair in options.names:
        name, _, place = pair.partition("=")
        target = options.target / (place or name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(strip((options.source / name).read_text(encoding="utf-8"), name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
