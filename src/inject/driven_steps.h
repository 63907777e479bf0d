// A trial whose steps a tuner drives in blocks (blocks.h), as functions of the module `_native`.
#pragma once

#include "inject/python_api.h"
#include "inject/steps.h"

namespace flatout::inject {

// drive_steps(path, put, settled, outcomes): the control page's file, looked for at the end of the
// first step; put(text, training) -> None or why not, settled() -> None, outcomes() -> text. The
// first process that closes a step is driven; each further one is counted and runs on.
PyObject* py_drive_steps(PyObject* module, PyObject* args);

PyObject* py_disturb_block(PyObject* module, PyObject* none);  // what is measured now is no block

// At the end of a step. The interpreter is held.
DrivenStep driven_step_closed();
// A block that is measured now is none: an epoch or an evaluation has begun.
void disturb_block();

}  // namespace flatout::inject
