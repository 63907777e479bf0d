#include "store/output/output_log.h"

#include <algorithm>
#include <map>

namespace flatout::store {
namespace {

// The lines of one process, in one direction.
class Walk {
 public:
  // `read_bytes` counts for all walks of a page.
  Walk(const OutputFileBlocks& file, const OutputQuery& query, std::uint64_t& read_bytes)
      : file_(&file), last_(query.last), read_bytes_(&read_bytes) {
    constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
    next_ = file.block_of(!last_ ? query.from_ns : query.to_ns == kEnd ? kEnd : query.to_ns + 1);
    left_ = file.count() == 0 ? 0 : last_ ? next_ + 1 : file.count() - next_;
    advance();
  }

  bool done() const { return done_; }
  const OutputLine& line() const { return last_ ? lines_.back() : lines_[at_]; }
  OutputLine take() { return std::move(last_ ? lines_.back() : lines_[at_]); }

  void step() {
    if (last_) {
      lines_.pop_back();
    } else {
      ++at_;
    }
    advance();
  }

 private:
  void advance() {
    while (last_ ? lines_.empty() : at_ == lines_.size()) {
      if (left_ == 0) {
        done_ = true;
        return;
      }
      lines_ = file_->lines(next_);
      *read_bytes_ += OutputFileBlocks::kBlockBytes;
      at_ = 0;
      --left_;
      next_ += last_ ? -1 : 1;
    }
  }

  const OutputFileBlocks* file_;
  bool last_;
  std::size_t next_ = 0, left_ = 0;  // blocks
  std::vector<OutputLine> lines_;
  std::size_t at_ = 0;
  std::uint64_t* read_bytes_;
  bool done_ = false;
};

// The last state of each stream, where it is not finished: what a terminal shows at the end.
std::vector<std::int64_t> open_ends(const OutputFileBlocks& file) {
  std::vector<std::int64_t> out;
  if (file.count() == 0) return out;
  const auto lines = file.lines(file.count() - 1);
  for (const OutputStream stream : {OutputStream::kStdout, OutputStream::kStderr}) {
    const auto found = std::find_if(lines.rbegin(), lines.rend(), [&](const OutputLine& line) {
      return !line.is_gap && line.stream == stream;
    });
    if (found != lines.rend() && found->going_on) out.push_back(found->t_ns);
  }
  return out;
}

class Filter {
 public:
  Filter(const OutputQuery& query, std::map<std::int64_t, std::vector<std::int64_t>> open)
      : query_(query), open_(std::move(open)) {}

  // Also makes its text one that may be shown.
  bool wants(OutputLine& line) const {
    if (line.going_on && !query_.states && !is_open(line)) return false;
    return show_if_wanted(query_.filter(), line);
  }

 private:
  bool is_open(const OutputLine& line) const {
    const auto found = open_.find(line.pid);
    return found != open_.end() &&
           std::ranges::find(found->second, line.t_ns) != found->second.end();
  }
  const OutputQuery& query_;
  std::map<std::int64_t, std::vector<std::int64_t>> open_;
};

}  // namespace

OutputLog OutputLog::open(const std::filesystem::path& run_folder) {
  OutputLog out;
  for (auto& [pid, files] : find_output_files(run_folder)) {
    OutputFileBlocks& blocks = out.files_.emplace_back(pid);
    for (const auto& [number, file] : files) blocks.add_file(file.path, file.bytes);
  }
  return out;
}

std::vector<OutputProcess> OutputLog::processes() const {
  std::vector<OutputProcess> out;
  for (const OutputFileBlocks& file : files_) {
    OutputProcess one{.pid = file.pid(), .bytes = file.bytes()};
    // Said where lines were lost, and at the beginning of each file after that.
    for (const std::size_t block : {file.first_of_last_file(), file.count() - 1}) {
      if (block >= file.count()) continue;
      for (const OutputLine& line : file.lines(block)) {
        if (!line.is_gap || line.left_out_lines < one.left_out_lines) continue;
        one.left_out_lines = line.left_out_lines;
        one.left_out_bytes = line.left_out_bytes;
      }
    }
    out.push_back(one);
  }
  return out;
}

OutputPage OutputLog::read(const OutputQuery& query) const {
  std::uint64_t searched = 0;
  std::vector<Walk> walks;
  std::map<std::int64_t, std::vector<std::int64_t>> open;
  for (const OutputFileBlocks& file : files_) {
    if (query.pid && file.pid() != *query.pid) continue;
    walks.emplace_back(file, query, searched);
    if (!query.states) open[file.pid()] = open_ends(file);
  }
  const Filter filter(query, std::move(open));
  OutputPage page;
  const auto earlier = [&](const Walk& a, const Walk& b) {
    return query.last ? a.line().t_ns > b.line().t_ns : a.line().t_ns < b.line().t_ns;
  };
  for (;;) {
    std::erase_if(walks, [](const Walk& walk) { return walk.done(); });
    if (walks.empty()) break;
    Walk& next = *std::ranges::min_element(walks, earlier);
    const std::int64_t t_ns = next.line().t_ns;
    if (query.last ? t_ns < query.from_ns : t_ns > query.to_ns) break;
    OutputLine line = next.take();
    const bool inside = t_ns >= query.from_ns && t_ns <= query.to_ns;
    if (inside && page.lines.size() == query.limit) {
      page.more = true;
      break;
    }
    if (inside && filter.wants(line)) page.lines.push_back(std::move(line));
    if (searched > kMostSearched) {
      page.more = true;
      page.reached_ns = t_ns;
      break;
    }
    next.step();
  }
  if (query.last) std::ranges::reverse(page.lines);
  return page;
}

}  // namespace flatout::store
