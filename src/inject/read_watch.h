// In a trial: which files this process opens to read once it loads data, so that the next
// trial does not find them in memory. Python's opens come from the audit hook of
// write_watch.h, those of the loading engine by note_read(). Each path is said once, as a
// line "/abs/path\n" appended to a file; links stay links. Never raises, never changes what
// happens. Compiled readers (cv2.imread, HDF5, LMDB) are not seen.
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

// From here on. FLATOUT_TRIAL_READS names the file that takes the lines; false without it.
// Later calls do nothing. A forked child goes on by itself.
bool watch_reads();

// `path`: str or bytes, else ignored. Python's own modules (.py, .pyc, .so) do not count.
void note_read(PyObject* path);

}  // namespace flatout::inject
