#include "store/run_list.h"

#include <algorithm>
#include <system_error>

#include "base/nearest_name.h"
#include "store/disk.h"
#include "store/log_file.h"
#include "store/staging.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kLatest = "latest";

std::int64_t started(const ListedRun& run) {
  return run.summary ? run.summary->info.started_wall_ns : INT64_MIN;
}

std::unexpected<base::Error> not_found(const Home& home, std::string_view reference,
                                       const std::string& meant = "") {
  return base::fail(ErrorCode::kNotFound,
                    "no run '" + std::string(reference) + "' in " + home.runs().string() +
                        (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                        (meant.empty() ? "; see 'flatout ls'" : " See 'flatout ls'"));
}

// The id or name that somebody may have meant; "" where none is near.
std::string meant_by(const std::vector<ListedRun>& runs, std::string_view reference) {
  std::vector<std::string_view> known = {kLatest};
  for (const ListedRun& run : runs) {
    if (run.summary && !run.summary->info.name.empty()) known.push_back(run.summary->info.name);
  }
  for (const ListedRun& run : runs) known.push_back(run.id);
  return base::nearest_name(reference, known);
}

// The newest that a user started: no trial of a run which is still there.
const std::string& latest(const std::vector<ListedRun>& runs) {
  const std::vector<RunLink> links = links_of(runs);
  const Parentage parentage(links);
  return std::ranges::find_if(runs,
                              [&](const ListedRun& run) { return !parentage.is_trial(run.id); })
      ->id;
}

// The only id that starts with `beginning`.
Result<std::string> find_beginning(const Home& home, const std::vector<ListedRun>& runs,
                                   std::string_view beginning) {
  const ListedRun* found = nullptr;
  for (const auto& run : runs) {
    if (!run.id.starts_with(beginning)) continue;
    if (found != nullptr) {
      return base::fail(ErrorCode::kInvalid, std::string("'").append(beginning) +
                                                 "' fits the runs " + found->id + " and " + run.id +
                                                 "; give more letters of the id");
    }
    found = &run;
  }
  if (found == nullptr) return not_found(home, beginning, meant_by(runs, beginning));
  return found->id;
}

// Refuses while somebody writes the log: a recorder or a recovery.
Result<void> check_unused(const Home& home, const std::string& id) {
  const auto file = system_disk().open(log_path(home.folder(id)));
  if (!file) return {};
  const auto locked = (*file)->lock();
  if (locked || locked.error().code != ErrorCode::kExists) return {};
  return base::fail(ErrorCode::kExists,
                    "run " + id + " is being written by another flatout; wait until it has ended");
}

}  // namespace

Result<std::vector<ListedRun>> list_runs(const Home& home, const Viewpoint& from) {
  auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::vector<ListedRun> runs;
  runs.reserve(ids->size());
  for (auto& id : *ids) runs.push_back({id, read_summary(home.folder(id), from)});
  std::ranges::sort(runs, [](const ListedRun& a, const ListedRun& b) {
    return started(a) != started(b) ? started(a) > started(b) : a.id < b.id;
  });
  return runs;
}

std::vector<RunLink> links_of(const std::vector<ListedRun>& runs) {
  std::vector<RunLink> links;
  links.reserve(runs.size());
  for (const ListedRun& run : runs) {
    const bool has_parent = run.summary && run.summary->info.parent;
    links.push_back({run.id, has_parent ? std::string_view(*run.summary->info.parent) : ""});
  }
  return links;
}

Result<std::string> find_run(const Home& home, std::string_view reference, const Viewpoint& from) {
  if (reference != kLatest && home.has(reference)) return std::string(reference);
  auto runs = list_runs(home, from);
  if (!runs) return std::unexpected(runs.error());
  if (runs->empty()) {
    return base::fail(ErrorCode::kNotFound, "no runs in " + home.runs().string() +
                                                " yet; record one with 'flatout run -- CMD'");
  }
  if (reference == kLatest) return latest(*runs);
  for (const auto& run : *runs) {
    if (run.summary && !reference.empty() && run.summary->info.name == reference) return run.id;
  }
  if (reference.empty()) return not_found(home, reference);
  return find_beginning(home, *runs, reference);
}

Result<void> can_be_removed(const Home& home, const std::string& id, const Viewpoint& from) {
  if (!is_run_id(id)) return not_found(home, id);
  const auto folder = home.folder(id);
  std::error_code err;
  const auto type = fs::symlink_status(folder, err).type();
  if (type == fs::file_type::not_found) return not_found(home, id);
  if (type != fs::file_type::directory) {
    return base::fail(
        ErrorCode::kInvalid,
        folder.string() + " is no folder (a link is not followed); remove it by hand");
  }
  if (!may_be_recording(folder)) return not_found(home, id);
  const auto summary = read_summary(folder, from);
  if (summary && summary->state == run::RunState::kRunning) {
    return base::fail(ErrorCode::kExists,
                      "run " + id + " is still running; end it first, then remove it");
  }
  return check_unused(home, id);
}

Result<void> remove_run(const Home& home, const std::string& id, const Viewpoint& from) {
  if (auto free = can_be_removed(home, id, from); !free) return free;
  const auto folder = home.folder(id);
  std::error_code err;
  if (auto staged = remove_staged(system_disk(), folder); !staged) return staged;
  fs::remove_all(folder, err);  // removes links, does not follow them
  if (err) return base::fail_errno(err.value(), "cannot remove " + folder.string());
  return {};
}

}  // namespace flatout::store
