"""Follows a function of the program without running it: which column goes through which transforms to which key.

Only what is written here is understood; whatever else the function holds is refused, by its line. So what was
followed to the end is all that the function does.
"""

from __future__ import annotations

import ast
import builtins
import functools
import types

from .answers import named
from .originals import is_function
from .program_code import tree_of
from .program_values import Each, Known, Mapping, Method, Picture, Row, Sequence, Tensor, attribute
from .refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_DEEPEST = 4  # functions that call each other


class Follower:
    """`calls`: what else may be called, as (object, values of the arguments, of the named ones) -> value or None."""

    def __init__(self, calls: Any = None) -> None:
        self.calls = calls
        self.depth = 0

    def call(self, thing: Any, given: Any, named: Any) -> Any:
        """What thing(*given, **named) gives."""
        if self.calls is not None:
            out = self.calls(thing, given, named)
            if out is not None:
                return out
        if type(thing) is functools.partial:
            bound = [Known(one) for one in thing.args]
            return self.call(thing.func, bound + given, {**{key: Known(one) for key, one in thing.keywords.items()}, **named})
        if type(thing) is types.MethodType:
            return self.call(thing.__func__, [Known(thing.__self__), *given], named)
        if is_function(thing):
            return self._function(thing, given, named)
        if len(given) == 1 and not named and isinstance(given[0], (Picture, Tensor)):
            return _transformed(thing, given[0])
        raise Refused("%s has no native form" % (_title(thing),))

    def _function(self, function: Callable[..., Any], given: Any, named: Any) -> Any:
        if self.depth == _DEEPEST:
            raise Refused("%s calls too deep to be followed" % (function.__qualname__,))
        arguments, body = tree_of(function)
        self.depth += 1
        try:
            return _Call(self, function, _bound(function, arguments, given, named)).run(body)
        finally:
            self.depth -= 1


class _Call:
    def __init__(self, follower: Follower, function: Callable[..., Any], names: dict[str, Any]) -> None:
        self.follower = follower
        self.function: Any = function
        self.names = names

    def run(self, body: Any) -> Any:
        for statement in body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self.value(statement.value)
            step = getattr(self, "_do_" + type(statement).__name__, None)
            if step is None:
                raise self.unknown(statement)
            step(statement)
        raise Refused("%s returns nothing" % (self.function.__qualname__,))

    def unknown(self, node: Any) -> Any:
        return Refused("%s, line %d, is a function of the program that has no native form" % (self.function.__qualname__, node.lineno))

    def value(self, node: Any) -> Any:
        step = getattr(self, "_of_" + type(node).__name__, None)
        if step is None:
            raise self.unknown(node)
        return step(node)

    # Statements.

    def _do_Expr(self, node: Any) -> None:
        self.value(node.value)

    def _do_Assign(self, node: Any) -> None:
        value = self.value(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.names[target.id] = value
            elif isinstance(target, ast.Subscript):
                mapping, key = self._place(target)
                mapping.parts[key] = value
            elif isinstance(target, ast.Tuple) and isinstance(value, Sequence) and len(value.parts) == len(target.elts):
                for one, part in zip(target.elts, value.parts):
                    if not isinstance(one, ast.Name):
                        raise self.unknown(node)
                    self.names[one.id] = part
            else:
                raise self.unknown(node)

    def _do_Delete(self, node: Any) -> None:
        for target in node.targets:
            mapping, key = self._place(target)
            if mapping.parts.pop(key, None) is None:
                raise self.unknown(node)

    def _place(self, node: Any) -> tuple[Any, Any]:
        if isinstance(node, ast.Subscript):
            mapping, key = self.value(node.value), self.value(node.slice)
            if type(mapping) is Mapping and type(key) is Known and type(key.thing) is str:
                return mapping, key.thing
        raise self.unknown(node)

    # Expressions.

    def _of_Constant(self, node: Any) -> Any:
        return Known(node.value)

    def _of_Name(self, node: Any) -> Any:
        name, function = node.id, self.function
        code = function.__code__
        if name in self.names:
            return self.names[name]
        if name.startswith("__"):  # inside a class it stands for another name
            raise self.unknown(node)
        try:
            if name in code.co_freevars:
                return Known(function.__closure__[code.co_freevars.index(name)].cell_contents)
            if name in code.co_varnames or name in code.co_cellvars:
                raise self.unknown(node)
            held = function.__globals__
            return Known(held[name] if name in held else vars(builtins)[name])
        except (KeyError, ValueError):
            raise Refused("%s, in %s, is not there yet" % (name, function.__qualname__))

    def _of_Attribute(self, node: Any) -> Any:
        value = self.value(node.value)
        return Known(attribute(value.thing, node.attr)) if type(value) is Known else Method(value, node.attr)

    def _of_Subscript(self, node: Any) -> Any:
        value, key = self.value(node.value), self.value(node.slice)
        parts: Any = value.parts if type(value) in (Mapping, Row, Sequence) else value.thing if type(value) is Known else None
        if type(key) is not Known or type(parts) not in (dict, list, tuple) or type(key.thing) not in (str, int):
            raise self.unknown(node)
        try:
            part = parts[key.thing]
        except (LookupError, TypeError):
            raise self.unknown(node)
        return Known(part) if type(value) is Known else part

    def _of_Dict(self, node: Any) -> Any:
        keys: list[Any] = [self.value(key) if key is not None else None for key in node.keys]
        if not all(type(key) is Known and type(key.thing) is str for key in keys):
            raise self.unknown(node)
        return Mapping({key.thing: self.value(value) for key, value in zip(keys, node.values)})

    def _of_Tuple(self, node: Any) -> Any:
        return Sequence(tuple, [self.value(one) for one in node.elts])

    def _of_List(self, node: Any) -> Any:
        return Sequence(list, [self.value(one) for one in node.elts])

    def _of_ListComp(self, node: Any) -> Any:
        (loop,) = node.generators if len(node.generators) == 1 else (None,)
        if loop is None or loop.ifs or loop.is_async:
            raise self.unknown(node)
        over = self.value(loop.iter)
        if type(over) is not Each:
            raise self.unknown(node)
        inside = _Call(self.follower, self.function, dict(self.names))
        if isinstance(loop.target, ast.Name):
            inside.names[loop.target.id] = over.element
        elif isinstance(loop.target, ast.Tuple) and type(over.element) is Row and type(over.element.parts) is tuple:
            if not all(isinstance(one, ast.Name) for one in loop.target.elts) or len(loop.target.elts) != len(over.element.parts):
                raise self.unknown(node)
            inside.names.update({one.id: part for one, part in zip(loop.target.elts, over.element.parts)})  # type: ignore[attr-defined]
        else:
            raise self.unknown(node)
        return Each(inside.value(node.elt))

    def _of_Call(self, node: Any) -> Any:
        callee = self.value(node.func)
        given = []
        for one in node.args:
            value = self.value(one.value if isinstance(one, ast.Starred) else one)
            if isinstance(one, ast.Starred):
                if type(value) is not Sequence:
                    raise self.unknown(node)
                given += value.parts
            else:
                given.append(value)
        if any(one.arg is None for one in node.keywords):
            raise self.unknown(node)
        named = {one.arg: self.value(one.value) for one in node.keywords}
        if type(callee) is Method and not named:
            return self._method(node, callee, given)
        if type(callee) is not Known:
            raise self.unknown(node)
        return self.follower.call(callee.thing, given, named)

    def _method(self, node: Any, method: Any, given: Any) -> Any:
        words = [one.thing for one in given if type(one) is Known]
        if type(method.value) is Picture and method.name == "convert" and words == ["RGB"] and len(given) == 1:
            return Picture(method.value.column, True)
        if type(method.value) is Mapping and method.name == "pop" and len(given) == len(words) == 1 and words[0] in method.value.parts:
            return method.value.parts.pop(words[0])
        raise self.unknown(node)


def _transformed(thing: Any, value: Any) -> Any:
    if type(value) is Tensor:
        return Tensor(value.column, (*value.transforms, thing))
    if not value.is_rgb:
        raise Refused('%s of pictures that are not made RGB, by convert("RGB"), has no native form' % (_title(thing),))
    return Tensor(value.column, (thing,))


def _bound(function: Callable[..., Any], arguments: Any, given: Any, named: Any) -> Any:
    """{name of a parameter: value}"""
    refused = Refused("%s is not called in a way that can be followed" % (function.__qualname__,))
    if arguments.vararg or arguments.kwarg:
        raise refused
    names = [one.arg for one in [*arguments.posonlyargs, *arguments.args]]
    only_named = [one.arg for one in arguments.kwonlyargs]
    if len(given) > len(names) or not set(named) <= {*names[len(given):], *only_named}:
        raise refused
    defaults = function.__defaults__ or ()
    out = {name: Known(one) for name, one in zip(names[len(names) - len(defaults):], defaults)}
    out.update({name: Known(one) for name, one in (function.__kwdefaults__ or {}).items()})
    out.update(zip(names, given))
    out.update(named)
    if set(out) != {*names, *only_named}:
        raise refused
    return out


def _title(thing: Any) -> Any:
    return named(thing)
