#include <nlohmann/json.hpp>

#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/time.h"
#include "cli/answer.h"
#include "cli/exit_status.h"
#include "cli/verbs.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "store/retention.h"
#include "store/run_family.h"
#include "store/run_list.h"
#include "trial/journal_file.h"

namespace flatout::cli {
namespace {

// A run that goes, or would, and what goes with it.
struct Gone {
  std::string id;
  std::string name;
  std::size_t trials = 0;
  std::optional<std::uint64_t> bytes;
};

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

// Between two of its trials, none of its runs is running.
base::Result<void> not_going_on(const store::Home& home, const std::string& id) {
  const auto folder = home.folder(id);
  if (!trial::story_in_use(folder)) return {};
  return base::fail(base::ErrorCode::kExists,
                    std::string(store::family_kind_name(store::family_kind(folder))) + " " + id +
                        " is still going on; end it first, then remove it");
}

base::Result<Gone> removed(const store::Home& home, const std::string& reference, bool dry_run) {
  const store::Viewpoint here = store::viewpoint_here();
  const auto id = whole_id(home, reference, here);
  if (!id) return std::unexpected(id.error());
  if (const auto over = not_going_on(home, *id); !over) return std::unexpected(over.error());
  const auto ids = store::with_trials(home, *id, here);
  if (!ids) return std::unexpected(ids.error());
  if (!dry_run) {
    if (const auto done = store::remove_family(home, *ids, here); !done) {
      return std::unexpected(done.error());
    }
  }
  return Gone{.id = *id, .name = {}, .trials = ids->size() - 1, .bytes = std::nullopt};
}

std::string line_of(const Gone& gone, bool dry_run) {
  std::string line = (dry_run ? "would remove " : "removed ") + gone.id;
  if (!gone.name.empty()) line += " (" + report::shorten(report::to_ascii(gone.name), 32) + ")";
  if (gone.trials > 0) {
    line += " and its " + std::to_string(gone.trials) + (gone.trials == 1 ? " trial" : " trials");
  }
  if (gone.bytes) line += ", " + report::format_bytes(static_cast<double>(*gone.bytes));
  return line + "\n";
}

std::string total_line(const std::vector<Gone>& all, bool dry_run) {
  double bytes = 0;
  std::size_t runs = 0;
  for (const Gone& gone : all) {
    bytes += static_cast<double>(gone.bytes.value_or(0));
    runs += 1 + gone.trials;
  }
  return std::to_string(runs) + (runs == 1 ? " run, " : " runs, ") + report::format_bytes(bytes) +
         (dry_run ? ": nothing was removed\n" : "\n");
}

// Schema "flatout.rm/1" (schema/rm.schema.json).
std::string json_of(const std::vector<Gone>& all, const std::vector<std::string>& problems,
                    bool dry_run) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "flatout.rm/1"}, {"dry_run", dry_run}, {"runs", Json::array()}};
  for (const Gone& gone : all) {
    Json one = {{"id", gone.id}, {"trials", gone.trials}};
    if (!gone.name.empty()) one["name"] = gone.name;
    if (gone.bytes) one["bytes"] = *gone.bytes;
    out["runs"].push_back(std::move(one));
  }
  out["problems"] = problems;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int remove_named(const store::Home& home, const RemoveOptions& options, app::Voice& voice) {
  const bool json = options.format == Format::kJson;
  std::vector<Gone> all;
  std::vector<std::string> problems;
  for (const std::string& reference : options.runs) {
    const auto gone = removed(home, reference, options.dry_run);
    if (!gone) {
      problems.push_back(gone.error().message);
      voice.error(problems.back());
      continue;
    }
    all.push_back(*gone);
    if (!json && answer(line_of(*gone, options.dry_run)) != 0) return 1;
  }
  if (json && answer(json_of(all, problems, options.dry_run)) != 0) return 1;
  return problems.empty() ? 0 : 1;
}

// Trials go with their run, so they are counted, not listed.
std::vector<Gone> gone_of(const std::vector<store::RunFamily>& families) {
  std::vector<Gone> out;
  for (const store::RunFamily& family : families) {
    out.push_back({.id = family.run.id,
                   .name = family.run.name,
                   .trials = family.trials.size(),
                   .bytes = store::bytes_of(family)});
  }
  return out;
}

int tell(const std::vector<Gone>& all, const std::vector<std::string>& problems,
         const RemoveOptions& options, const store::Home& home, app::Voice& voice) {
  for (const std::string& problem : problems) voice.error(problem);
  const int status = problems.empty() ? 0 : 1;
  if (options.format == Format::kJson) {
    return answer(json_of(all, problems, options.dry_run)) != 0 ? 1 : status;
  }
  if (all.empty()) {
    voice.note("no run in " + home.root().string() + " ended longer ago than " +
               options.older_than);
    return status;
  }
  std::string text;
  for (const Gone& gone : all) text += line_of(gone, options.dry_run);
  return answer(text + total_line(all, options.dry_run)) != 0 ? 1 : status;
}

int remove_old(const store::Home& home, const RemoveOptions& options, app::Voice& voice) {
  const auto age = store::parse_age(options.older_than);
  if (!age) {
    voice.error("--older-than: " + age.error().message);
    return kWrongOption;
  }
  const store::RetentionPolicy policy{
      .older_than = *age,
      .keep_tagged = options.keep_tagged,
      .in_use = [&home](const std::string& id) { return trial::story_in_use(home.folder(id)); }};
  const store::Viewpoint here = store::viewpoint_here();
  if (options.dry_run) {
    const auto listing = store::list_catalog(home, here);
    if (listing) {
      const auto gone = gone_of(store::expired(listing->runs, policy, here.wall_ns));
      return tell(gone, {}, options, home, voice);
    }
    voice.error(listing.error().message);
    return 1;
  }
  const auto removed = store::remove_expired(home, policy, here);
  if (!removed) {
    voice.error(removed.error().message);
    return 1;
  }
  return tell(gone_of(removed->families), removed->problems, options, home, voice);
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
