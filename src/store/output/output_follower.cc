#include "store/output/output_follower.h"

#include <algorithm>
#include <utility>

namespace flatout::store {

OutputFollower::OutputFollower(std::filesystem::path run_folder, const OutputFilter& filter,
                               std::int64_t from_ns)
    : run_folder_(std::move(run_folder)), filter_(filter) {
  for (const auto& [pid, files] : find_output_files(run_folder_)) {
    if (filter_.pid && pid != *filter_.pid) continue;
    followed_.emplace(pid, Followed{OutputTail(pid, files, from_ns)});
  }
}

// Of each process whose last piece is used up.
void OutputFollower::read_pieces() {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::min();
  for (const auto& [pid, files] : find_output_files(run_folder_)) {
    if (filter_.pid && pid != *filter_.pid) continue;
    auto found = followed_.find(pid);
    if (found == followed_.end()) {
      found = followed_.emplace(pid, Followed{OutputTail(pid, files, kAll)}).first;
    }
    Followed& followed = found->second;
    if (!followed.ready.empty()) continue;
    std::vector<OutputLine> lines;
    do {
      followed.more = followed.tail.read(files, lines);
    } while (followed.more && lines.empty());
    followed.ready.assign(std::make_move_iterator(lines.begin()),
                          std::make_move_iterator(lines.end()));
  }
}

OutputNews OutputFollower::read_new() {
  read_pieces();
  // Until here everything is known.
  std::int64_t known_ns = std::numeric_limits<std::int64_t>::max();
  OutputNews news;
  for (const auto& [pid, followed] : followed_) {
    if (!followed.more) continue;
    news.more = true;
    if (!followed.ready.empty()) known_ns = std::min(known_ns, followed.ready.back().t_ns);
  }
  for (auto& [pid, followed] : followed_) {
    while (!followed.ready.empty() && followed.ready.front().t_ns <= known_ns) {
      OutputLine line = std::move(followed.ready.front());
      followed.ready.pop_front();
      if (show_if_wanted(filter_, line)) news.lines.push_back(std::move(line));
    }
    if (!followed.ready.empty()) news.more = true;
  }
  std::ranges::stable_sort(news.lines, {}, &OutputLine::t_ns);
  return news;
}

std::vector<OutputLine> OutputFollower::open_lines() const {
  std::vector<OutputLine> out;
  for (const auto& [pid, followed] : followed_) {
    for (const std::optional<OutputLine>& open : followed.tail.open_lines()) {
      if (!open) continue;
      OutputLine line = *open;
      if (show_if_wanted(filter_, line)) out.push_back(std::move(line));
    }
  }
  std::ranges::stable_sort(out, {}, &OutputLine::t_ns);
  return out;
}

std::optional<OutputLine> OutputFollower::open_line() const {
  auto lines = open_lines();
  return lines.empty() ? std::nullopt : std::optional(std::move(lines.back()));
}

}  // namespace flatout::store
