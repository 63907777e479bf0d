// A line of a program's output as `flatout logs` prints it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.h"
#include "store/output/output_log.h"

namespace flatout::cli {

class LogsText {
 public:
  // `started_ns`: of the run. `several`: each line stands behind the number of its process.
  LogsText(const LogsOptions& options, std::int64_t started_ns, bool several)
      : times_(options.times), started_ns_(started_ns), several_(several) {}

  void set_several() { several_ = true; }
  // Without a line feed.
  std::string of(const store::OutputLine& line) const;

 private:
  bool times_;
  std::int64_t started_ns_;
  bool several_;
};

// The stream of --stream; absent: both.
std::optional<store::OutputStream> logs_stream(const LogsOptions& options);
// Why there is nothing to print.
base::Error no_output(const std::string& run_id);

}  // namespace flatout::cli
