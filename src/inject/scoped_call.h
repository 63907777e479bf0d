// A call around which a knob holds something: its arguments may be changed before
// it, its result after it. No Python frame of ours stands around the call.
#pragma once

#include "inject/span.h"

namespace flatout::inject {

// What holds around each outermost forward with gradients in training mode; new
// references are taken, None = nothing.
//   enter(args, kwargs) -> None: nothing; or (args, kwargs, token); or (result,): the
//     call is left out, and that is what it gives
//   leave(token, result, raised) -> None: the result as it is; or (result,)
// leave is called once for each token, also where the call raised (result is then
// None, and what leave answers does not count). An Exception that either raises is
// dropped; what a signal raised meanwhile goes on to the program, without our frames.
void set_forward_scope(PyObject* enter, PyObject* leave);

// The call of what `span` stands in for inside that scope. New reference, or nullptr with an error.
PyObject* call_in_forward_scope(Span* span, Call& call);

// The same with an enter and a leave of one's own; nullptr = none.
PyObject* call_scoped(PyObject* enter, PyObject* leave, Span* span, Call& call);

}  // namespace flatout::inject
