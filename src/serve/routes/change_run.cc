#include <algorithm>

#include "serve/json.h"
#include "serve/routes/routes.h"
#include "store/run_meta.h"

namespace flatout::serve {
namespace {

struct Change {
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> note;
};

std::unexpected<base::Error> refused(const std::string& why) {
  return base::fail(base::ErrorCode::kInvalid, why);
}

base::Result<Change> read_change(const std::string& body) {
  const Json json = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return refused("the body is no JSON object; it takes tags and note");
  Change change;
  for (const auto& [key, value] : json.items()) {
    if (key == "note" && value.is_string()) {
      change.note = value.get<std::string>();
    } else if (key == "tags" && value.is_array()) {
      change.tags.emplace();
      for (const Json& tag : value) {
        if (!tag.is_string() || !store::is_tag(tag.get_ref<const std::string&>())) {
          return refused("a tag is " + std::string(store::kTagRule));
        }
        change.tags->push_back(tag.get<std::string>());
      }
    } else {
      return refused("the body takes tags, a list of texts, and note, a text");
    }
  }
  return change;
}

}  // namespace

Response change_run(Api& api, const Request& request, const std::string& id) {
  if (!api.home.has(id)) return no_such_run(id);
  auto change = read_change(request.body);
  if (!change) return error_response(change.error());
  const auto written = store::update_meta(api.home.folder(id), [&](store::RunMeta& meta) {
    if (change->note) meta.note = *change->note;
    if (!change->tags) return;
    meta.tags = *change->tags;
    std::ranges::sort(meta.tags);
    const auto repeated = std::ranges::unique(meta.tags);
    meta.tags.erase(repeated.begin(), repeated.end());
  });
  if (!written) return error_response(written.error());
  api.rows.look_again();
  const auto row = api.rows.find(id);
  return row ? text_response(row->text + "\n") : no_such_run(id);
}

}  // namespace flatout::serve
