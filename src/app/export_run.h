// A stored run as files of tables: CSV, or Parquet made of it by the user's Python. Main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::app {

struct ExportRequest {
  std::string home;
  std::string run;
  bool parquet = false;  // else CSV
  std::string out;       // the folder; "" = flatout-<id> in the current one
  bool force = false;    // replace files
};

struct Exported {
  std::string run;                           // its id
  std::vector<std::filesystem::path> files;  // one a table, in the order of kTables
};

// Nothing is written where a file is in the way (kExists), or where the Python for Parquet is
// missing. The run is streamed: memory does not grow with its length.
base::Result<Exported> export_run(const ExportRequest& request);

}  // namespace flatout::app
