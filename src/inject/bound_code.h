// A Span in front of a method that pybind11 defines (ProcessGroup.allreduce): a builtin function
// wrapped in an instancemethod, from which the class hands it out.
//
// A builtin function's hash is made of the code that its PyMethodDef points to, so nothing is put
// there (inject/c_function.h): the hash may lie in a set or a dict. CPython calls the function
// through the pointer `vectorcall` in it, and that one is replaced. Bytecode that has seen the
// function itself called many times may go straight to its code, from 3.11 on; not so where it is
// called as a method, which is how PyTorch calls them.
#pragma once

#include "inject/call.h"

namespace flatout::inject {

// Whether `function` is what `holder`, a class, shows of pybind11's method `name`.
bool is_method_of_pybind(PyObject* holder, PyObject* name, PyObject* function);

// Has `function`, a builtin one, called through `code`; returns what called it until now. nullptr
// where it has no such pointer (pybind11 before 3.0): nothing has changed then.
Vectorcall redirect_bound_code(PyObject* function, Vectorcall code);

}  // namespace flatout::inject
