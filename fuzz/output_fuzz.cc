// Any bytes as what a program writes, whose records are then read; and as a file of records. No
// page is larger than asked for or out of order where we wrote it, and nothing shown steers a
// terminal.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "inject/output/output_rows.h"
#include "scratch.h"
#include "store/output/output_follower.h"
#include "store/output/output_log.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

void check(const store::OutputPage& page, std::size_t limit, bool ordered) {
  if (page.lines.size() > limit) std::abort();
  for (const store::OutputLine& line : page.lines) {
    for (const char c : line.text) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\t') std::abort();
    }
  }
  if (ordered && !std::ranges::is_sorted(page.lines, {}, &store::OutputLine::t_ns)) std::abort();
}

// Every page of all, forwards.
std::size_t pages(const store::OutputLog& log, bool ordered) {
  constexpr std::size_t kLimit = 7;
  store::OutputQuery query{.limit = kLimit, .states = true};
  std::size_t lines = 0;
  for (int i = 0; i < 20; ++i) {
    const store::OutputPage page = log.read(query);
    check(page, kLimit, ordered);
    lines += page.lines.size();
    if (!page.more || page.lines.empty()) break;
    if (page.lines.back().t_ns == INT64_MAX) break;
    query.from_ns = page.lines.back().t_ns + 1;
  }
  return lines;
}

// What is there by now; nothing of it steers a terminal.
std::size_t follow(store::OutputFollower& follower, bool ordered) {
  std::size_t lines = 0;
  for (bool more = true; more;) {
    const store::OutputNews news = follower.read_new();
    check({.lines = news.lines}, news.lines.size(), ordered);
    lines += news.lines.size();
    more = news.more;
  }
  check({.lines = follower.open_lines()}, SIZE_MAX, true);
  return lines;
}

void write_and_read(const std::filesystem::path& folder, std::string_view bytes) {
  inject::OutputFile file;
  const std::filesystem::path place = folder / store::kOutputFolderName;
  if (!file.open(place.c_str(), 64U << 10)) std::abort();
  inject::OutputRows out, err;
  out.begin(file, 'o');
  err.begin(file, 'e');
  std::int64_t now = 1;
  store::OutputFollower follower(folder, {});
  std::size_t followed = 0;
  while (!bytes.empty()) {
    const auto first = static_cast<unsigned char>(bytes.front());
    const std::size_t piece = std::min<std::size_t>(bytes.size() - 1, first & 63U);
    now += (first & 64U) != 0 ? 1'500'000'000 : 1000;
    out.keep_old(now);
    err.keep_old(now);
    ((first & 128U) != 0 ? err : out).write(bytes.data() + 1, piece, now);
    if ((first & 7U) == 0) out.flush(now);
    if ((first & 15U) == 1) followed += follow(follower, true);
    bytes.remove_prefix(piece + 1);
  }
  out.keep_all();
  err.keep_all();
  if (file.lost_lines() != 0) std::abort();
  file.forget();
  out.forget();
  err.forget();
  const store::OutputLog log = store::OutputLog::open(folder);
  (void)pages(log, true);
  // The pages also hold the lines that have no end, and what was removed is no longer in them.
  followed += follow(follower, true);
  const auto all = log.read({.limit = SIZE_MAX}).lines;
  if (followed < all.size() - std::min(all.size(), follower.open_lines().size())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto folder = scratch.path() / store::kOutputFolderName;
  fuzz::write_file(folder / "7.0.txt", bytes.substr(0, size / 2));
  fuzz::write_file(folder / "9.0.txt", bytes.substr(size / 2));
  const store::OutputLog log = store::OutputLog::open(scratch.path());
  (void)pages(log, false);
  (void)log.processes();
  check(log.read({.limit = 5, .last = true, .contains = "a"}), 5, false);
  store::OutputFollower follower(scratch.path(), {.contains = "a"}, 5);
  (void)follow(follower, false);
  fuzz::write_file(folder / "7.1.txt", bytes);
  (void)follow(follower, false);
  check(log.read({.from_ns = 10, .to_ns = 1000, .limit = 50}), 50, false);
  std::filesystem::remove_all(folder);
  write_and_read(scratch.path(), bytes);
  std::filesystem::remove_all(folder);
  return 0;
}
