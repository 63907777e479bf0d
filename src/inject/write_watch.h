// In a trial: what Python code of this process writes outside the folders whose
// changes are thrown away. An audit hook (PEP 578) sees each file that is opened to
// write and each path that is made, renamed or removed, before it happens; each path
// is said once, as a line "wrote\t/abs/path\n" appended to a file. It never raises and
// never changes what happens. Writers that are no Python (HDF5, torch.save into a path)
// are not seen: Python code that knows of them calls note_write().
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

// Once; later calls do nothing. FLATOUT_TRIAL_WRITES names the file that takes the
// lines, FLATOUT_TRIAL_RULES says of which folders, one a line: "-/tmp" = what happens
// below it is not said, "+/tmp/x" = it is; the longest that fits counts, and where none
// fits it is said. False without these, and in a Python without audit hooks.
bool watch_writes();

// What the program is about to write by other means. `path`: str or bytes, else ignored.
void note_write(PyObject* path);

// Whether a write to `path` would be said.
bool write_is_outside(const char* path);

}  // namespace flatout::inject
