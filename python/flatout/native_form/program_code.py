"""A function of the program as a syntax tree that is proved to be what runs.

Its file is compiled once more, not run. The tree counts only where that gives the function's own code, instruction for
instruction: a file that was changed since, a decorator, code made on the way are found out so.
"""

from __future__ import annotations

import ast
import linecache
import types

from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Callable, Iterator


def tree_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """(ast.arguments, list of statements) of a plain function, or Refused. A lambda is one return."""
    code, name = function.__code__, function.__qualname__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        text = "".join(lines)
        whole = compile(text, code.co_filename, "exec", dont_inherit=True)
        nodes = [node for node in ast.walk(ast.parse(text)) if _begins_at(node, code)]
    except (SyntaxError, ValueError, RecursionError):
        raise Refused("%s, whose file cannot be compiled again, has no native form" % (name,))
    if not lines or len(nodes) != 1 or not any(one == code for one in _codes(whole)):
        raise Refused("%s, whose code is not what stands in %s, has no native form" % (name, code.co_filename))
    node: Any = nodes[0]
    if isinstance(node, ast.Lambda):
        return node.args, [ast.copy_location(ast.Return(node.body), node.body)]
    return node.args, node.body


def _begins_at(node: Any, code: CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    return isinstance(node, ast.FunctionDef) and node.name == code.co_name and node.lineno == code.co_firstlineno


def _codes(code: Any) -> Iterator[Any]:
    for one in code.co_consts:
        if type(one) is types.CodeType:
            yield one
            yield from _codes(one)
