#include <fnmatch.h>

#include <algorithm>
#include <string>

#include "app/run_list_json.h"
#include "app/stored_runs.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/run_table.h"
#include "cli/verbs.h"
#include "store/catalog.h"
#include "trial/journal_file.h"

namespace flatout::cli {
namespace {

// `state`: of the run, or of the tune or search that it is the first run of.
bool asked_for(const store::CatalogEntry& run, const std::string& state,
               const ListOptions& options) {
  const bool tagged =
      options.tag.empty() || std::ranges::binary_search(store::all_tags(run.meta), options.tag);
  const bool named =
      options.name.empty() || ::fnmatch(options.name.c_str(), run.name.c_str(), 0) == 0;
  return tagged && named && (options.state.empty() || options.state == state);
}

ListedFamily listed(store::RunFamily family, const store::Home& home) {
  const auto folder = home.folder(family.run.id);
  const auto kind = store::family_kind(folder);
  const bool going_on = kind != store::FamilyKind::kRun && trial::story_in_use(folder);
  return {.family = std::move(family), .kind = kind, .going_on = going_on};
}

bool asked_for(const store::CatalogEntry& run, const ListOptions& options) {
  return asked_for(run, app::state_of(run), options);
}

// Without --all a tune is one entry. With it, each run stands for itself.
std::vector<ListedFamily> chosen_families(std::vector<store::CatalogEntry> runs,
                                          const store::Home& home, const ListOptions& options) {
  std::vector<ListedFamily> out;
  if (options.all) {
    std::erase_if(runs, [&](const auto& run) { return !asked_for(run, options); });
    for (store::RunFamily& family : store::families(runs)) out.push_back({std::move(family)});
    return out;
  }
  for (store::RunFamily& family : store::families(runs)) {
    ListedFamily one = listed(std::move(family), home);
    if (asked_for(one.family.run, state_of(one), options)) out.push_back(std::move(one));
  }
  return out;
}

std::string text_of(const std::vector<ListedFamily>& families, bool all) {
  return run_table(families, all ? TrialsShown::kBelow : TrialsShown::kCounted, table_style(1));
}

// Every run, trials too, as flatout.ls/1 always had: those that a user started have no parent.
int list_json(std::vector<store::CatalogEntry> runs, const store::Home& home,
              const ListOptions& options) {
  const auto kind_of = [&](const store::CatalogEntry& run) {
    return store::family_kind(home.folder(run.id));
  };
  std::erase_if(runs, [&](const store::CatalogEntry& run) { return !asked_for(run, options); });
  return answer(app::run_list_json(runs, kind_of));
}

}  // namespace

int ls_verb(const ListOptions& options) {
  app::Voice voice(false);
  const auto home = app::open_home(options.home);
  auto listing = home ? store::list_catalog(*home, store::viewpoint_here())
                      : base::Result<store::CatalogListing>(std::unexpected(home.error()));
  if (!listing) {
    voice.error(listing.error().message);
    return 1;
  }
  if (!listing->problem.empty()) voice.note(listing->problem);
  if (options.format == Format::kJson) return list_json(std::move(listing->runs), *home, options);
  if (listing->runs.empty()) {
    voice.note("no runs in " + home->root().string() + " yet; flatout run -- CMD records one");
    return 0;
  }
  const auto families = chosen_families(std::move(listing->runs), *home, options);
  if (families.empty()) {
    voice.note("no run in " + home->root().string() + " is like that; flatout ls shows all");
    return 0;
  }
  return answer_styled(text_of(families, options.all));
}

}  // namespace flatout::cli
