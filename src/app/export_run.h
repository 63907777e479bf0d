// A stored run as files: of tables, CSV or Parquet made of it by the user's Python, or one that
// ui.perfetto.dev opens or an OpenTelemetry Collector reads. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::app {

enum class ExportFormat : std::uint8_t { kCsv, kParquet, kPerfetto, kOtlp };
std::string_view format_name(ExportFormat format);

struct ExportRequest {
  std::string home;
  std::string run;
  ExportFormat format = ExportFormat::kCsv;
  std::string out;     // the folder; "" = flatout-<id> in the current one
  bool force = false;  // replace files
};

struct ExportedFile {
  std::string table;  // one of kTables, kTraceTable or kMetricsTable
  std::filesystem::path path;
};

// "Table" of the file for Perfetto, which holds them all.
constexpr std::string_view kTraceTable = "trace";
// Likewise of the one for OpenTelemetry.
constexpr std::string_view kMetricsTable = "metrics";

struct Exported {
  std::string run;                  // its id
  std::vector<ExportedFile> files;  // one a table, in the order of kTables
};

// Nothing is written where a file is in the way (kExists), or where the Python for Parquet is
// missing. The run is streamed: memory does not grow with its length.
base::Result<Exported> export_run(const ExportRequest& request);

}  // namespace flatout::app
