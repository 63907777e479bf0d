#include "trace/nsys/read_export.h"

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "trace/kineto/category.h"
#include "trace/nsys/gpu_numbers.h"
#include "trace/nsys/names.h"
#include "trace/nsys/sqlite_file.h"
#include "trace/nsys/string_ids.h"

namespace flatout::trace {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kMemsets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";  // the driver's too
constexpr std::string_view kRanges = "NVTX_EVENTS";

// What tables of activities have in common stands first, and so in the same places.
enum ActivityColumn : std::size_t {
  kStart,
  kEnd,
  kDevice,
  kStream,
  kCorrelation,
  kPid,
  kContext,
  kGraphNode,
  kOwn
};

using Times = std::pair<std::int64_t, std::int64_t>;

// A moment has no end of its own.
std::optional<Times> times_of(const TableRows& row, bool moment = false) {
  constexpr std::int64_t kFarthest = 4'000'000'000'000'000'000;
  const auto start = row.integer(kStart), end = row.integer(moment ? kStart : kEnd);
  if (!start || !end || *start > *end || *start < -kFarthest || *end > kFarthest) {
    return std::nullopt;
  }
  return Times(*start, *end);
}

// A global number holds machine, process and thread, of 24 bits each the last two; the machine's
// may make it negative.
pid_t pid_of(std::int64_t global) {
  return static_cast<pid_t>(static_cast<std::uint64_t>(global) >> 24 & 0xFF'FFFF);
}

std::uint64_t unsigned_or(std::optional<std::int64_t> value, std::uint64_t otherwise) {
  return value && *value >= 0 ? static_cast<std::uint64_t>(*value) : otherwise;
}

// The numbers of an enumeration in this file as the documentation has them.
class Enumeration {
 public:
  using Known = std::optional<std::int64_t> (*)(std::string_view enumerator);

  void read(SqliteFile& file, std::string_view table, Known known) {
    constexpr std::array<std::string_view, 2> kColumns = {"id", "name"};
    constexpr std::size_t kMost = 1000;
    if (!file.has(table)) return;
    auto rows = file.rows(table, kColumns);
    while (rows && documented_.size() < kMost && rows->next()) {
      const auto id = rows->integer(0), means = known(rows->text(1).value_or(""));
      if (id && means) documented_[*id] = *means;
    }
  }
  std::optional<std::int64_t> number(std::optional<std::int64_t> id) const {
    if (!id || documented_.empty()) return id;
    const auto found = documented_.find(*id);
    return found == documented_.end() ? id : found->second;
  }

 private:
  std::map<std::int64_t, std::int64_t> documented_;
};

class ExportReader {
 public:
  ExportReader(SqliteFile& file, TraceParts& parts) : file_(file), parts_(parts) {}

  base::Result<void> read() {
    note("StringIds", strings_.read(file_));
    note("TARGET_INFO_CUDA_DEVICE", gpus_.read(file_));
    note("TARGET_INFO_GPU", read_gpus(file_, parts_));
    copy_kinds_.read(file_, "ENUM_CUDA_MEMCPY_OPER", copy_kind);
    memory_kinds_.read(file_, "ENUM_CUDA_MEM_KIND", memory_kind);
    read_start();
    read_kernels();
    read_graphs();
    read_copies();
    read_memsets();
    read_calls();
    read_ranges();
    if (parts_.activities() > 0 || first_problem_.empty()) return {};
    return base::fail(base::ErrorCode::kCorrupt, first_problem_);
  }

 private:
  using OnRow = std::function<void(const TableRows& row)>;

  void note(std::string_view table, const std::string& problem) {
    if (problem.empty()) return;
    if (first_problem_.empty()) first_problem_ = problem;
    parts_.add_note("of table " + std::string(table) + " only a part was read: " + problem);
  }

  void read_table(std::string_view table, std::span<const std::string_view> columns,
                  const OnRow& on_row) {
    if (!file_.has(table)) return;
    auto rows = file_.rows(table, columns);
    if (!rows) return note(table, rows.error().message);
    while (rows->next()) {
      if (!parts_.has_room()) return note(table, "the file holds more than is read of a trace");
      on_row(*rows);
    }
    note(table, rows->problem());
  }

  void read_start() {
    constexpr std::array<std::string_view, 1> kColumns = {"utcEpochNs"};
    read_table("TARGET_INFO_SESSION_START_TIME", kColumns,
               [this](const TableRows& row) { parts_.set_start(row.integer(0).value_or(0)); });
  }

  void read_kernels() {
    constexpr std::array<std::string_view, 10> kColumns = {
        "start",     "end",       "deviceId",    "streamId",      "correlationId",
        "globalPid", "contextId", "graphNodeId", "demangledName", "shortName"};
    read_table(kKernels, kColumns, [this](const TableRows& row) {
      std::string_view name = strings_.name(row, kOwn);
      if (name.empty()) name = strings_.name(row, kOwn + 1);
      add_activity(row, run::ActivityKind::kKernel, name);
    });
  }

  void read_graphs() {
    constexpr std::array<std::string_view, 9> kColumns = {"start",     "end",           "deviceId",
                                                          "streamId",  "correlationId", "globalPid",
                                                          "contextId", "graphNodeId",   "graphId"};
    const std::size_t before = parts_.activities();
    read_table(kGraphs, kColumns, [this](const TableRows& row) {
      const auto graph = row.integer(kOwn);
      add_activity(row, run::ActivityKind::kKernel,
                   graph ? "CUDA graph " + std::to_string(*graph) : "CUDA graph",
                   unsigned_or(graph, 0));
    });
    if (parts_.activities() == before) return;
    parts_.add_note(
        "CUDA graphs were recorded as a whole, and count as one kernel each: "
        "nsys profile --cuda-graph-trace=node records what is in them");
  }

  void read_copies() {
    constexpr std::array<std::string_view, 12> kColumns = {
        "start",     "end",         "deviceId", "streamId", "correlationId", "globalPid",
        "contextId", "graphNodeId", "bytes",    "copyKind", "srcKind",       "dstKind"};
    read_table(kCopies, kColumns, [this](const TableRows& row) {
      add_activity(row, run::ActivityKind::kCopy,
                   copy_name(copy_kinds_.number(row.integer(kOwn + 1)),
                             memory_kinds_.number(row.integer(kOwn + 2)),
                             memory_kinds_.number(row.integer(kOwn + 3))));
    });
  }

  void read_memsets() {
    constexpr std::array<std::string_view, 10> kColumns = {
        "start",     "end",       "deviceId",    "streamId", "correlationId",
        "globalPid", "contextId", "graphNodeId", "bytes",    "memKind"};
    read_table(kMemsets, kColumns, [this](const TableRows& row) {
      add_activity(row, run::ActivityKind::kMemset,
                   memset_name(memory_kinds_.number(row.integer(kOwn + 1))));
    });
  }

  void add_activity(const TableRows& row, run::ActivityKind kind, std::string_view name,
                    std::uint64_t graph = 0) {
    const auto times = times_of(row);
    const auto device =
        within<std::uint16_t>(row.integer(kDevice), std::numeric_limits<std::uint16_t>::max());
    if (!times || !device) return parts_.leave_out();
    const auto global = row.integer(kPid);
    const pid_t pid = global ? pid_of(*global) : TraceParts::kMainProcess;
    run::DeviceActivity activity;
    activity.begin_ns = times->first;
    activity.end_ns = times->second;
    activity.correlation = unsigned_or(row.integer(kCorrelation), 0);
    activity.name = parts_.name(name);
    activity.stream =
        within<std::uint32_t>(row.integer(kStream), std::numeric_limits<std::uint32_t>::max())
            .value_or(0);
    activity.device = gpus_.of(pid, *device);
    activity.context =
        within<std::uint16_t>(row.integer(kContext), std::numeric_limits<std::uint16_t>::max())
            .value_or(0);
    set_graph(graph, unsigned_or(row.integer(kGraphNode), 0), activity);
    activity.kind = kind;
    if (kind != run::ActivityKind::kKernel) {
      activity.bytes = unsigned_or(row.integer(kOwn), run::DeviceActivity::kUnknownBytes);
    }
    if (kind == run::ActivityKind::kCopy) {
      activity.direction = copy_direction(name);
      activity.host_memory = copy_memory(name);
    }
    parts_.add_activity(pid, activity);
  }

  void read_calls() {
    constexpr std::array<std::string_view, 5> kColumns = {"start", "end", "globalTid",
                                                          "correlationId", "nameId"};
    read_table(kCalls, kColumns, [this](const TableRows& row) {
      add_span(row, run::HostSpanKind::kCall, call_name(strings_.name(row, 4)),
               unsigned_or(row.integer(3), 0));
    });
  }

  void read_ranges() {
    constexpr std::array<std::string_view, 6> kColumns = {"start", "end",    "globalTid",
                                                          "text",  "textId", "eventType"};
    read_table(kRanges, kColumns, [this](const TableRows& row) {
      constexpr std::int64_t kMarkEvent = 34, kPushPop = 59, kStartEnd = 60;
      const std::int64_t type = row.integer(5).value_or(kPushPop);
      // Others are names of threads, domains and categories.
      if (type != kMarkEvent && type != kPushPop && type != kStartEnd) return;
      std::string_view text = row.text(3).value_or("");
      if (text.empty()) text = strings_.name(row, 4);
      const RangeName name = range_name(text);
      if (type == kPushPop) return add_span(row, name.kind, name.name, 0);
      add_span(row, type == kMarkEvent ? run::HostSpanKind::kMark : run::HostSpanKind::kRange, text,
               0);
    });
  }

  void add_span(const TableRows& row, run::HostSpanKind kind, std::string_view name,
                std::uint64_t correlation) {
    const auto times = times_of(row, kind == run::HostSpanKind::kMark);
    const auto global = row.integer(2);
    if (!times || !global) return parts_.leave_out();
    const auto tid = static_cast<std::int32_t>(*global & 0xFF'FFFF);
    parts_.add_span(pid_of(*global), std::to_string(tid), tid,
                    {.begin_ns = times->first,
                     .end_ns = times->second,
                     .correlation = correlation,
                     .name = parts_.name(name),
                     .kind = kind});
  }

  SqliteFile& file_;
  TraceParts& parts_;
  StringIds strings_;
  GpuNumbers gpus_;
  Enumeration copy_kinds_, memory_kinds_;
  std::string first_problem_;
};

}  // namespace

base::Result<void> read_export(const std::filesystem::path& path, TraceParts& parts) {
  auto file = SqliteFile::open(path);
  if (!file) return std::unexpected(file.error());
  if (!file->has("StringIds")) {
    return base::fail(base::ErrorCode::kInvalid,
                      "an SQLite database, but none that Nsight Systems exported (table StringIds "
                      "is missing); nsys export --type sqlite makes one of a report");
  }
  if (!file->has(kKernels) && !file->has(kGraphs)) {
    return base::fail(base::ErrorCode::kInvalid,
                      "it holds no kernels (table " + std::string(kKernels) +
                          " is missing): record with nsys profile --trace=cuda,nvtx");
  }
  return ExportReader(*file, parts).read();
}

}  // namespace flatout::trace
