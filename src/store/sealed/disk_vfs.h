// SQLite's files through the Disk port: a sealed run is one file that one
// process writes once and that then never changes, so there is no journal, no
// lock and no shared memory, links are not followed, and tests can make each
// single write fail. Internal to store/.
#pragma once

#include "store/disk.h"

struct sqlite3;

namespace flatout::store {

enum class VfsMode { kWrite, kRead };

// Opens a database over `file`, which must outlive it. An SQLite status; like
// sqlite3_open_v2 it may give a handle with an error, to be closed as well.
int open_over(DiskFile& file, VfsMode mode, sqlite3** out);

}  // namespace flatout::store
