// A Span in front of a function that C defines and that stays the object it is: a method of a C
// class (Tensor.to), a function of a C module (os.rename, cv2.imread), one of pybind11's or
// Cython's.
//
// CPython calls all of them, bound or not, through the pointer `ml_meth` of their PyMethodDef. One
// of ours is put there, which finds the Span again and hands the call on as it came.
#pragma once

#include "inject/call.h"

namespace flatout::inject {

// What the redirected call asks for the Span that stands in front; nullptr: nobody does.
using SpanInFront = Span* (*)(PyObject* function);

// Has calls of `function` go through the Span that `in_front` gives. Returns what calls the
// function itself, or nullptr where that cannot be done (nothing has changed then): no function of
// C, a definition in memory that cannot be written, a form of call that is not known here.
Vectorcall redirect_c_function(PyObject* function, SpanInFront in_front);

// As it was before redirect_c_function().
void restore_c_function(PyObject* function);

}  // namespace flatout::inject
