// What the program wrote to stdout and stderr, in pages by time.
#include <algorithm>
#include <limits>

#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"
#include "serve/runs/outlined_run.h"
#include "store/output/output_log.h"

namespace flatout::serve {
namespace {

constexpr std::int64_t kMostLines = 2000;
constexpr std::int64_t kMostWords = 256;                   // characters of a search
constexpr std::int64_t kMostNs = (std::int64_t{1} << 62);  // 146 years

base::Result<bool> choice(const Request& request, std::string_view name, std::string_view no,
                          std::string_view yes) {
  const std::string* text = request.parameter(name);
  if (text == nullptr || *text == no) return false;
  if (*text == yes) return true;
  return base::fail(base::ErrorCode::kInvalid,
                    std::string(name) + " is " + std::string(no) + " or " + std::string(yes));
}

base::Result<void> read_where(const Request& request, store::OutputQuery& query) {
  const std::string* stream = request.parameter("stream");
  if (stream != nullptr && *stream != "stdout" && *stream != "stderr") {
    return base::fail(base::ErrorCode::kInvalid, "stream is stdout or stderr");
  }
  if (stream != nullptr) {
    query.stream =
        *stream == "stdout" ? store::OutputStream::kStdout : store::OutputStream::kStderr;
  }
  const auto pid = whole_number(request, "pid", -1, 0, std::numeric_limits<std::int32_t>::max());
  if (!pid) return std::unexpected(pid.error());
  if (*pid >= 0) query.pid = *pid;
  if (const std::string* words = request.parameter("contains")) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    if (std::ranges::count_if(*words, begins) > kMostWords) {
      return base::fail(base::ErrorCode::kInvalid, "contains is text of at most 256 characters");
    }
    query.contains = *words;
  }
  return {};
}

// Times in the query are those of the run's beginning.
base::Result<store::OutputQuery> output_query(const Request& request, std::int64_t started_ns) {
  store::OutputQuery query;
  const auto from = whole_number(request, "from_ns", 0, 0, kMostNs);
  const auto to = whole_number(request, "to_ns", kMostNs, 0, kMostNs);
  const auto limit = whole_number(request, "limit", 500, 0, kMostLines);
  const auto last = choice(request, "end", "first", "last");
  const auto states = choice(request, "states", "last", "all");
  if (!from) return std::unexpected(from.error());
  if (!to) return std::unexpected(to.error());
  if (!limit) return std::unexpected(limit.error());
  if (!last) return std::unexpected(last.error());
  if (!states) return std::unexpected(states.error());
  // A script may have written before its recorder was there.
  if (*from > 0) query.from_ns = started_ns + *from;
  if (*to < kMostNs) query.to_ns = started_ns + *to;
  query.limit = static_cast<std::size_t>(*limit);
  query.last = *last;
  query.states = *states;
  if (auto where = read_where(request, query); !where) return std::unexpected(where.error());
  return query;
}

Json line_json(const store::OutputLine& line, std::int64_t started_ns) {
  Json out = {{"t_ns", std::max<std::int64_t>(0, line.t_ns - started_ns)}, {"pid", line.pid}};
  if (line.is_gap) {
    out["left_out_lines"] = line.left_out_lines;
    out["left_out_bytes"] = line.left_out_bytes;
    return out;
  }
  out["stream"] = line.stream == store::OutputStream::kStdout ? "stdout" : "stderr";
  out["text"] = line.text;
  if (line.going_on) out["going_on"] = true;
  if (line.left_out_bytes != 0) out["left_out_bytes"] = line.left_out_bytes;
  return out;
}

}  // namespace

Response run_output(Api& api, const Request& request, const std::string& id) {
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const std::int64_t started_ns = open->outline->info.started_ns;
  const auto query = output_query(request, started_ns);
  if (!query) return error_response(query.error());
  const store::OutputLog log = store::OutputLog::open(open->run->folder());
  Json out = {{"schema", "flatout.output/1"}, {"processes", Json::array()}};
  for (const store::OutputProcess& one : log.processes()) {
    out["processes"].push_back({{"pid", one.pid},
                                {"bytes", one.bytes},
                                {"left_out_lines", one.left_out_lines},
                                {"left_out_bytes", one.left_out_bytes}});
  }
  const store::OutputPage page = log.read(*query);
  out["lines"] = Json::array();
  for (const store::OutputLine& line : page.lines) {
    out["lines"].push_back(line_json(line, started_ns));
  }
  out["more"] = page.more;
  out["reached_ns"] = page.reached_ns
                          ? Json(std::max<std::int64_t>(0, *page.reached_ns - started_ns))
                          : Json(nullptr);
  return json_response(out);
}

}  // namespace flatout::serve
