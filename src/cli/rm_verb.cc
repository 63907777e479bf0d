#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/time.h"
#include "cli/verbs.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "store/retention.h"
#include "store/run_list.h"

namespace flatout::cli {
namespace {

// The beginning of an id is good enough to look at a run, not to delete it.
base::Result<std::string> whole_id(const store::Home& home, const std::string& reference,
                                   const store::Viewpoint& here) {
  auto id = store::find_run(home, reference, here);
  const bool beginning = id && *id != reference && id->starts_with(reference);
  if (!beginning) return id;
  const auto summary = store::read_summary(home.folder(*id), here);
  if (summary && summary->info.name == reference) return id;
  return base::fail(base::ErrorCode::kInvalid,
                    "rm wants a whole id: did you mean flatout rm " + *id + "?");
}

int remove_named(const store::Home& home, const RemoveOptions& options, app::Voice& voice) {
  const store::Viewpoint here = store::viewpoint_here();
  int status = 0;
  for (const std::string& reference : options.runs) {
    const auto id = whole_id(home, reference, here);
    base::Result<void> done;
    if (!id) {
      done = std::unexpected(id.error());
    } else if (!options.dry_run) {
      done = store::remove_run(home, *id, here);
    }
    if (!done) {
      voice.error(done.error().message);
      status = 1;
      continue;
    }
    const char* what = options.dry_run ? "would remove " : "removed ";
    (void)base::write_all(1, base::printable(what + *id) + "\n", "stdout");
  }
  return status;
}

std::string line_of(const store::CatalogEntry& run, bool dry_run) {
  std::string line = (dry_run ? "would remove " : "removed ") + run.id;
  if (!run.name.empty()) line += " (" + report::shorten(report::to_ascii(run.name), 32) + ")";
  return line + ", " + report::format_bytes(static_cast<double>(run.bytes)) + "\n";
}

int tell(const std::vector<store::CatalogEntry>& runs, const RemoveOptions& options,
         const store::Home& home, app::Voice& voice) {
  if (runs.empty()) {
    voice.note("no run in " + home.root().string() + " ended longer ago than " +
               options.older_than);
    return 0;
  }
  std::string text;
  double bytes = 0;
  for (const store::CatalogEntry& run : runs) {
    text += line_of(run, options.dry_run);
    bytes += static_cast<double>(run.bytes);
  }
  text += std::to_string(runs.size()) + (runs.size() == 1 ? " run, " : " runs, ") +
          report::format_bytes(bytes) + (options.dry_run ? ": nothing was removed\n" : "\n");
  return base::write_all(1, base::printable(text), "stdout") ? 0 : 1;
}

int remove_old(const store::Home& home, const RemoveOptions& options, app::Voice& voice) {
  const auto age = store::parse_age(options.older_than);
  if (!age) {
    voice.error("--older-than: " + age.error().message);
    return 2;
  }
  const store::RetentionPolicy policy{
      .older_than = *age, .max_total_bytes = std::nullopt, .keep_tagged = options.keep_tagged};
  const store::Viewpoint here = store::viewpoint_here();
  if (options.dry_run) {
    const auto listing = store::list_catalog(home, here);
    if (listing)
      return tell(store::expired(listing->runs, policy, here.wall_ns), options, home, voice);
    voice.error(listing.error().message);
    return 1;
  }
  const auto removed = store::remove_expired(home, policy, here);
  if (!removed) {
    voice.error(removed.error().message);
    return 1;
  }
  for (const std::string& problem : removed->problems) voice.error(problem);
  const int status = tell(removed->runs, options, home, voice);
  return removed->problems.empty() ? status : 1;
}

}  // namespace

int rm_verb(const RemoveOptions& options) {
  app::Voice voice(false);
  const auto home = app::open_home(options.home);
  if (!home) {
    voice.error(home.error().message);
    return 1;
  }
  return options.older_than.empty() ? remove_named(*home, options, voice)
                                    : remove_old(*home, options, voice);
}

}  // namespace flatout::cli
