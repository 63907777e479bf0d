// A Span in front of a function that stays the object it is: every name bound
// to it, before or later, sees the Span, and identity, pickles and all that
// can be read of a function are as without it. Functions of C: inject/c_function.h and
// bound_code.h.
//
// CPython calls a Python function through the pointer `vectorcall` that lies in it. Ours is
// put there (PyFunction_SetVectorcall from 3.12 on). Where bytecode looks past it, in
// 3.11 always and later for the __init__ of a class, the function's type becomes a
// subtype of `function` as well, whose objects are called through the pointer.
#pragma once

#include "inject/call.h"
#include "inject/span.h"

namespace flatout::inject {

// Whether this interpreter has been found to be laid out as this file expects.
// Looked at once; false also in other interpreters of a process than the first.
bool can_hook_in_place();

// What the function is in its holder: a method that pybind11 defines (inject/bound_code.h), or any
// other of Python or of C.
enum class Kind { kAny, kMethodOfPybind };

// Takes over `span` (new_span(function, ...)) as the outermost one of `function`.
// False where it cannot; nothing has changed then.
bool hook_in_place(PyObject* function, Span* span, Kind kind);

// Takes `span` off again, wherever it stands among the function's. False where it
// does not stand there.
bool unhook_in_place(PyObject* function, const Span* span);

}  // namespace flatout::inject
