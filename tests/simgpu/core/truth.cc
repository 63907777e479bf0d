#include "core/truth.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/config.h"

namespace simgpu::truth {
namespace {

constexpr std::size_t kRowsAtOnce = 1 << 15;
constexpr std::size_t kMostCalls = 2048;

std::string path_of(const char* ending) {
  return config().truth_folder + "/" + std::to_string(getpid()) + ending;
}

int open_file(const char* ending) {
  mkdir(config().truth_folder.c_str(), 0700);
  return open(path_of(ending).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

void* map_part(int file, std::size_t offset, std::size_t bytes) {
  if (file < 0 || ftruncate(file, static_cast<off_t>(offset + bytes)) != 0) {
    return nullptr;
  }
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

// Rows of one kind in a file that grows.
template <typename Kind>
struct RowFile {
  int file = -1;
  Kind* part = nullptr;
  std::size_t in_part = kRowsAtOnce, parts = 0;

  // Null where the disk has no room.
  Kind* next(const char* ending) {
    if (in_part == kRowsAtOnce) {
      if (file < 0) {
        file = open_file(ending);
      }
      if (part != nullptr) {
        munmap(part, kRowsAtOnce * sizeof(Kind));
      }
      part = static_cast<Kind*>(
          map_part(file, parts * kRowsAtOnce * sizeof(Kind), kRowsAtOnce * sizeof(Kind)));
      ++parts;
      in_part = 0;
    }
    return part == nullptr ? nullptr : part + in_part++;
  }
};

struct Operations {
  RowFile<Row> rows;
  int names_file = -1;
  std::unordered_map<const char*, std::uint32_t> names;
  bool failed = false;

  std::uint32_t name_of(const char* name) {
    if (name == nullptr || *name == '\0') {
      return 0;
    }
    const auto [at, is_new] = names.try_emplace(name, static_cast<std::uint32_t>(names.size() + 1));
    if (is_new) {
      const std::string line = std::string(name) + "\n";
      failed = ::write(names_file, line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
               failed;
    }
    return at->second;
  }

  Row* next() {
    if (names_file < 0) {
      names_file = open_file(".names");
    }
    Row* const row = failed ? nullptr : rows.next(".operations");
    failed = row == nullptr;
    return row;
  }
};

struct Spans {
  std::mutex lock;
  RowFile<SpanRow> rows;
  bool failed = false;
};

Spans*& spans() {
  static auto* kept = new Spans;
  return kept;
}

Operations& operations() {
  static auto* kept = new Operations;
  return *kept;
}

struct Calls {
  std::mutex lock;
  CallRow* rows = nullptr;
  std::size_t used = 0;
};

Calls& calls() {
  static auto* kept = new Calls;
  return *kept;
}

CallRow* map_calls() {
  constexpr std::size_t kBytes = kMostCalls * sizeof(CallRow);
  void* mapped = nullptr;
  if (!config().truth_folder.empty()) {
    const int file = open_file(".calls");
    mapped = map_part(file, 0, kBytes);
    close(file);
  }
  if (mapped == nullptr) {
    mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  return static_cast<CallRow*>(mapped);
}

}  // namespace

void write(const PlacedOperation& placed) {
  if (config().truth_folder.empty()) {
    return;
  }
  Operations& all = operations();
  Row* const row = all.next();
  if (row == nullptr) {
    return;
  }
  const Operation& what = placed.what;
  *row = {.enqueued_ns = placed.enqueued,
          .start_ns = placed.start,
          .end_ns = placed.end,
          .bytes = what.bytes,
          .name = all.name_of(what.name),
          .stream = placed.stream,
          .correlation = placed.correlation,
          .graph = placed.graph,
          .grid_blocks = what.grid[0] * what.grid[1] * what.grid[2],
          .block_threads = what.block[0] * what.block[1] * what.block[2],
          .device = static_cast<std::uint16_t>(placed.device),
          .kind = static_cast<std::uint8_t>(static_cast<std::uint8_t>(what.kind) + 1),
          .pageable = static_cast<std::uint8_t>(what.pageable),
          .reserved = 0,
          .graph_node = placed.graph_node};
}

CallRow* call_row(const char* name) {
  Calls& all = calls();
  const std::lock_guard guard(all.lock);
  if (all.rows == nullptr) {
    all.rows = map_calls();
  }
  for (std::size_t i = 0; i < all.used; ++i) {
    if (std::strcmp(all.rows[i].name, name) == 0) {
      return &all.rows[i];
    }
  }
  CallRow& row = all.rows[std::min(all.used, kMostCalls - 1)];
  all.used = std::min(all.used + 1, kMostCalls);
  std::snprintf(row.name, sizeof(row.name), "%s", name);
  return &row;
}

void write_span(const CallRow* call, std::int64_t begin_ns, std::int64_t end_ns,
                std::uint32_t correlation) {
  if (!config().truth_calls) {
    return;
  }
  Spans& all = *spans();
  const std::lock_guard guard(all.lock);
  SpanRow* const row = all.failed ? nullptr : all.rows.next(".spans");
  all.failed = row == nullptr;
  if (row != nullptr) {
    static thread_local const auto thread = static_cast<std::uint32_t>(gettid());
    *row = {.begin_ns = begin_ns,
            .end_ns = end_ns,
            .call = static_cast<std::uint32_t>(call - calls().rows) + 1,
            .thread = thread,
            .correlation = correlation,
            .reserved = 0};
  }
}

void forked() {
  operations() = Operations{};
  spans() = new Spans;   // whoever had the old one's lock is not in the child
  Calls& all = calls();  // rows that entry points hold already go on in memory of the child's own
  if (all.rows != nullptr) {
    void* const copy = mmap(nullptr, kMostCalls * sizeof(CallRow), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) {
      std::memcpy(copy, static_cast<const void*>(all.rows), kMostCalls * sizeof(CallRow));
      mremap(copy, kMostCalls * sizeof(CallRow), kMostCalls * sizeof(CallRow),
             MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<void*>(all.rows));
    }
  }
}

}  // namespace simgpu::truth
