// What a callback of ours raised. Errors of ours are dropped: the program must not see
// them. What a signal raised meanwhile is the program's (Ctrl-C, a timeout of its own),
// as Python runs handlers of signals in whatever Python code the main thread is in.
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

// The error that stands is one of ours: an Exception, and of no handler of a signal.
bool error_is_ours();

// Takes the traceback, which has frames of ours, off the error that stands.
void strip_traceback();

// Nothing stands after it. One that is not ours is raised again, without our frames, at
// the next moment at which Python would have run the handler. In another thread than the
// main one it is what PyThreadState_SetAsyncExc brought, and is brought again.
void drop_callback_error();

// Raises the error that stands, which is the program's, as drop_callback_error() does.
void raise_again_later();

// The error that stands, without its traceback, for whoever says what went wrong; null where it is
// not ours, and then as drop_callback_error(). Nothing stands after it.
Ref take_callback_error();

}  // namespace flatout::inject
