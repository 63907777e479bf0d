#include "store/sealed/disk_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>

namespace flatout::store {
namespace {

// What sqlite3_open_v2 of this thread is to open: SQLite knows names only.
thread_local DiskFile* opening = nullptr;

struct OpenFile {
  sqlite3_file base;
  DiskFile* file;
};

DiskFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file)->file; }

int on_close(sqlite3_file*) { return SQLITE_OK; }

int on_read(sqlite3_file* file, void* out, int n, sqlite3_int64 offset) {
  const auto want = static_cast<std::size_t>(n);
  const auto got =
      of(file).read_at(static_cast<std::uint64_t>(offset), static_cast<char*>(out), want);
  if (!got) return SQLITE_IOERR_READ;
  if (*got == want) return SQLITE_OK;
  std::memset(static_cast<char*>(out) + *got, 0, want - *got);
  return SQLITE_IOERR_SHORT_READ;
}

int on_write(sqlite3_file* file, const void* bytes, int n, sqlite3_int64 offset) {
  std::string_view rest(static_cast<const char*>(bytes), static_cast<std::size_t>(n));
  auto at = static_cast<std::uint64_t>(offset);
  while (!rest.empty()) {
    const auto written = of(file).write_at(at, rest);
    if (!written) return SQLITE_FULL;
    rest.remove_prefix(*written);
    at += *written;
  }
  return SQLITE_OK;
}

int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return of(file).truncate(static_cast<std::uint64_t>(size)) ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int on_sync(sqlite3_file* file, int) { return of(file).sync() ? SQLITE_OK : SQLITE_IOERR_FSYNC; }

int on_size(sqlite3_file* file, sqlite3_int64* out) {
  const auto status = of(file).status();
  if (!status) return SQLITE_IOERR_FSTAT;
  *out = static_cast<sqlite3_int64>(status->bytes);
  return SQLITE_OK;
}

int on_lock(sqlite3_file*, int) { return SQLITE_OK; }
int on_check_lock(sqlite3_file*, int* out) {
  *out = 0;
  return SQLITE_OK;
}
int on_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int on_sector_size(sqlite3_file*) { return 4096; }
int on_characteristics(sqlite3_file*) { return 0; }

constexpr sqlite3_io_methods kMethods = {.iVersion = 1,
                                         .xClose = on_close,
                                         .xRead = on_read,
                                         .xWrite = on_write,
                                         .xTruncate = on_truncate,
                                         .xSync = on_sync,
                                         .xFileSize = on_size,
                                         .xLock = on_lock,
                                         .xUnlock = on_lock,
                                         .xCheckReservedLock = on_check_lock,
                                         .xFileControl = on_control,
                                         .xSectorSize = on_sector_size,
                                         .xDeviceCharacteristics = on_characteristics,
                                         .xShmMap = nullptr,
                                         .xShmLock = nullptr,
                                         .xShmBarrier = nullptr,
                                         .xShmUnmap = nullptr,
                                         .xFetch = nullptr,
                                         .xUnfetch = nullptr};

// Only the one database: journals and temporary files are refused.
int on_open(sqlite3_vfs*, const char*, sqlite3_file* file, int flags, int* out_flags) {
  auto* open = reinterpret_cast<OpenFile*>(file);
  open->base.pMethods = nullptr;
  if (opening == nullptr || (flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
  open->file = opening;
  open->base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int on_delete(sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; }
int on_access(sqlite3_vfs*, const char*, int, int* out) {
  *out = 0;  // there is no journal
  return SQLITE_OK;
}
int on_full_path(sqlite3_vfs*, const char* name, int n, char* out) {
  sqlite3_snprintf(n, out, "%s", name);
  return SQLITE_OK;
}

constexpr const char* kVfsName = "flatout-disk";

// Null when SQLite itself does not start.
sqlite3_vfs* vfs() {
  static sqlite3_vfs* const registered = []() -> sqlite3_vfs* {
    sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
    if (system == nullptr) return nullptr;
    static sqlite3_vfs own = *system;  // clock, randomness
    own.iVersion = 1;
    own.szOsFile = sizeof(OpenFile);
    own.pNext = nullptr;
    own.zName = kVfsName;
    own.xOpen = on_open;
    own.xDelete = on_delete;
    own.xAccess = on_access;
    own.xFullPathname = on_full_path;
    return sqlite3_vfs_register(&own, 0) == SQLITE_OK ? &own : nullptr;
  }();
  return registered;
}

}  // namespace

int open_over(DiskFile& file, VfsMode mode, sqlite3** out) {
  if (vfs() == nullptr) return SQLITE_ERROR;
  opening = &file;
  const int flags =
      mode == VfsMode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int status = sqlite3_open_v2(
      "run.sqlite", out, flags | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX, kVfsName);
  opening = nullptr;
  return status;
}

}  // namespace flatout::store
