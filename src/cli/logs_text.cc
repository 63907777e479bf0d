#include "cli/logs_text.h"

#include <cstdio>

namespace flatout::cli {

std::string LogsText::of(const store::OutputLine& line) const {
  std::string out;
  if (times_) {
    char time[40];
    std::snprintf(time, sizeof time, "%12.3f  ",
                  static_cast<double>(line.t_ns - started_ns_) / 1e9);
    out += time;
  }
  if (several_) out += std::to_string(line.pid) + " | ";
  if (line.is_gap) {
    return out + "[" + std::to_string(line.left_out_lines) + " lines of process " +
           std::to_string(line.pid) + " are left out until here]";
  }
  out += line.text;
  if (line.left_out_bytes != 0) {
    out += "[" + std::to_string(line.left_out_bytes) + " more bytes are left out]";
  }
  return out;
}

std::optional<store::OutputStream> logs_stream(const LogsOptions& options) {
  if (options.stream == "stdout") return store::OutputStream::kStdout;
  if (options.stream == "stderr") return store::OutputStream::kStderr;
  return std::nullopt;
}

base::Error no_output(const std::string& run_id) {
  return {base::ErrorCode::kNotFound,
          "run " + run_id +
              " has no output: it is recorded by flatout run --record-output, and of a script "
              "that logs through flatout.track"};
}

}  // namespace flatout::cli
