// tag and note: what people say of a run.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/stored_runs.h"
#include "cli/answer.h"
#include "cli/verbs.h"
#include "report/layout.h"
#include "store/run_list.h"
#include "store/run_meta.h"

namespace flatout::cli {
namespace {

// The folder of the run that `reference` means, and its id.
struct Place {
  std::string id;
  std::filesystem::path folder;
};

base::Result<Place> place_of(const std::string& home_option, const std::string& reference) {
  const auto home = app::open_home(home_option);
  if (!home) return std::unexpected(home.error());
  const auto id = store::find_run(*home, reference, store::viewpoint_here());
  if (!id) return std::unexpected(id.error());
  return Place{*id, home->folder(*id)};
}

// Those of the script cannot be taken off, and are named where somebody may think that they were.
std::string tags_line(const std::string& id, const store::RunMeta& meta) {
  std::string text;
  for (const std::string& tag : store::all_tags(meta)) {
    const bool scripts = !std::ranges::binary_search(meta.tags, tag);
    text += (text.empty() ? "" : ", ") + tag + (scripts ? " (set by the script)" : "");
  }
  return id + ": " + (text.empty() ? "no tags" : report::to_ascii(text)) + "\n";
}

// Schema "flatout.tag/1" (schema/tag.schema.json), of tag and note alike.
std::string json_of(const std::string& id, const store::RunMeta& meta) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", "flatout.tag/1"}, {"id", id}, {"tags", meta.tags}};
  if (!meta.note.empty()) out["note"] = meta.note;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<std::string> tagged(const TagOptions& options) {
  for (const std::string& tag : options.tags) {
    if (store::is_tag(tag)) continue;
    return base::fail(base::ErrorCode::kInvalid,
                      "'" + report::to_ascii(tag) + "' cannot be a tag: it is " + store::kTagRule);
  }
  const auto place = place_of(options.home, options.run);
  if (!place) return std::unexpected(place.error());
  const auto meta = store::update_meta(place->folder, [&](store::RunMeta& change) {
    for (const std::string& tag : options.tags) {
      std::erase(change.tags, tag);
      if (!options.remove) change.tags.push_back(tag);
    }
    std::ranges::sort(change.tags);
  });
  if (!meta) return std::unexpected(meta.error());
  return options.format == Format::kJson ? json_of(place->id, *meta) : tags_line(place->id, *meta);
}

base::Result<std::string> noted(const NoteOptions& options) {
  const auto place = place_of(options.home, options.run);
  if (!place) return std::unexpected(place.error());
  const auto meta = store::update_meta(place->folder,
                                       [&](store::RunMeta& change) { change.note = options.text; });
  if (!meta) return std::unexpected(meta.error());
  if (options.format == Format::kJson) return json_of(place->id, *meta);
  return place->id + (meta->note.empty() ? ": no note\n" : ": noted\n");
}

}  // namespace

int tag_verb(const TagOptions& options) { return answer(tagged(options)); }

int note_verb(const NoteOptions& options) { return answer(noted(options)); }

}  // namespace flatout::cli
