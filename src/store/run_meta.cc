#include "store/run_meta.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/new_file.h"
#include "store/outcome_fields.h"
#include "store/tracked_fields.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::size_t kMaxMetaBytes = 256U << 10;
constexpr std::size_t kMaxTagBytes = 64;

// The whole file as JSON: keys that this flatout does not know stay in it.
Result<Json> read_json(const fs::path& folder) {
  const fs::path path = folder / kMetaFileName;
  auto text = base::read_file(path, kMaxMetaBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return Json::object();
  if (!text) return std::unexpected(text.error());
  auto json = parse_shallow(*text);
  if (json && json->is_object()) return std::move(*json);
  return base::fail(ErrorCode::kCorrupt,
                    path.string() + " is not readable; remove it to start with no tags");
}

Result<RunMeta> parse_meta(const Json& json) {
  RunMeta meta;
  Fields fields(dump(json), "meta");
  fields.read("tags", meta.tags);
  fields.read("note", meta.note);
  if (const auto found = json.find("outcome"); found != json.end()) {
    auto outcome = read_present_fields<RunOutcome>(dump(*found), "outcome", kOutcomeFields);
    if (!outcome) return std::unexpected(outcome.error());
    meta.outcome = std::move(*outcome);
  }
  if (const auto found = json.find("tracked"); found != json.end())
    meta.tracked = tracked_from(*found);
  return fields.done(std::move(meta));
}

Result<void> check(const RunMeta& meta) {
  for (const auto& tag : meta.tags) {
    if (is_tag(tag)) continue;
    return base::fail(ErrorCode::kInvalid, "'" + tag + "' cannot be a tag: it is " + kTagRule);
  }
  if (meta.tags.size() > kMaxTags) {
    return base::fail(ErrorCode::kInvalid, "a run can have at most 64 tags; remove one first");
  }
  if (meta.note.size() > kMaxNoteBytes) {
    return base::fail(ErrorCode::kInvalid, "a note can have at most 16 KiB; make it shorter");
  }
  return {};
}

Result<void> write_json(const fs::path& folder, const Json& json) {
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return base::write_private_file(folder / kMetaFileName, text);
}

// Removes files that a killed writer has left, as base::NewFile names it. With the folder's lock,
// which every writer has.
void remove_unfinished(const fs::path& folder) {
  const std::string begin = std::string(kMetaFileName) + ".";
  constexpr std::size_t kRandom = 6;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    std::error_code ignored;
    const bool ours = name.starts_with(begin) && name.size() == begin.size() + kRandom;
    if (ours && it->symlink_status(ignored).type() == fs::file_type::regular) {
      fs::remove(it->path(), ignored);
    }
  }
}

}  // namespace

RunOutcome outcome_of(const run::Report& report) {
  RunOutcome outcome{.finding = report.verdict.finding,
                     .cause = std::string(run::cause_name(report.verdict.cause)),
                     .summary = report.verdict.summary,
                     .confidence = report.verdict.confidence,
                     .steps = {},
                     .median_ms = {},
                     .samples_per_s = {},
                     .device_busy = {},
                     .stopped_after = report.stopped_after};
  if (report.steps) {
    outcome.steps = report.steps->count;
    outcome.median_ms = report.steps->median_ms;
    outcome.samples_per_s = report.steps->samples_per_s;
    outcome.device_busy = report.steps->device_busy;
  }
  return outcome;
}

bool is_tag(std::string_view text) {
  if (text.empty() || text.size() > kMaxTagBytes) return false;
  if (text.starts_with(' ') || text.ends_with(' ')) return false;
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == ',' || c == '\x7f'; });
}

std::vector<std::string> all_tags(const RunMeta& meta) {
  std::vector<std::string> out = meta.tags;
  if (meta.tracked) out.insert(out.end(), meta.tracked->tags.begin(), meta.tracked->tags.end());
  std::ranges::sort(out);
  const auto repeated = std::ranges::unique(out);
  out.erase(repeated.begin(), repeated.end());
  return out;
}

Result<RunMeta> read_meta(const fs::path& folder) {
  const auto json = read_json(folder);
  if (!json) return std::unexpected(json.error());
  return parse_meta(*json);
}

void sweep_meta(const fs::path& folder) {
  const base::UniqueFd lock(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_unfinished(folder);
}

Result<RunMeta> update_meta(const fs::path& folder, const std::function<void(RunMeta&)>& change) {
  const base::UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock) return base::fail_errno(errno, "cannot open " + folder.string());
  // Where the file system has no locks the last one to write wins.
  const bool alone = ::flock(lock.get(), LOCK_EX) == 0;
  if (alone) remove_unfinished(folder);
  Json json = read_json(folder).value_or(Json::object());
  RunMeta meta = parse_meta(json).value_or(RunMeta{});
  change(meta);
  std::ranges::sort(meta.tags);
  const auto [first, last] = std::ranges::unique(meta.tags);
  meta.tags.erase(first, last);
  if (auto fits = check(meta); !fits) return std::unexpected(fits.error());
  json["tags"] = meta.tags;
  json["note"] = meta.note;
  json.erase("outcome");
  if (meta.outcome) json["outcome"] = write_fields(*meta.outcome, kOutcomeFields);
  json.erase("tracked");
  if (meta.tracked) json["tracked"] = to_json(*meta.tracked);
  if (auto done = write_json(folder, json); !done) return std::unexpected(done.error());
  return meta;
}

}  // namespace flatout::store
