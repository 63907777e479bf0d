// What changes, as server-sent events.
#include <chrono>
#include <unordered_map>
#include <utility>

#include "app/run_list_json.h"
#include "serve/json.h"
#include "serve/routes/routes.h"

namespace flatout::serve {
namespace {

std::string event(const char* name, const Json& data) {
  return "event: " + std::string(name) + "\ndata: " + dumped(data) + "\n\n";
}

// A comment, now and then, says that a connection is alive on which there is nothing to say.
class Quiet {
 public:
  std::string tick() {
    constexpr int kTicks = 15;
    if (++ticks_ < kTicks) return "";
    ticks_ = 0;
    return ":\n\n";
  }
  void over() { ticks_ = 0; }

 private:
  int ticks_ = 0;
};

// Ids of the runs whose rows are others than before.
class RunsFeed final : public Feed {
 public:
  explicit RunsFeed(Api& api) : api_(api) {}
  std::optional<std::string> next() override {
    const auto latest = api_.rows.latest();
    if (!latest) return problem(latest.error().message);
    if (!std::exchange(problem_, "").empty()) return changes(Json::array());
    const auto& list = latest->list;
    if (list == seen_ && latest->unread == unread_) return quiet_.tick();
    const bool more_read = std::exchange(unread_, latest->unread) != latest->unread;
    std::unordered_map<std::string, const RunRow*> now;
    Json changed = Json::array();
    for (const auto& row : *list) {
      now.emplace(row->entry.id, row.get());
      const auto before = rows_.find(row->entry.id);
      if (seen_ && (before == rows_.end() || before->second != row.get()))
        changed.push_back(row->entry.id);
    }
    for (const auto& [id, row] : rows_) {
      if (!now.contains(id)) changed.push_back(id);
    }
    rows_ = std::move(now);
    seen_ = list;  // which keeps the rows
    return changed.empty() && !more_read ? quiet_.tick() : changes(std::move(changed));
  }

 private:
  std::string changes(Json ids) {
    quiet_.over();
    return event("runs", {{"changed", std::move(ids)}});
  }
  // Once: who hears it asks for the list, and gets the reason.
  std::string problem(const std::string& what) {
    return std::exchange(problem_, what) == what ? quiet_.tick() : changes(Json::array());
  }

  Api& api_;
  std::shared_ptr<const RunList> seen_;
  std::size_t unread_ = 0;
  std::string problem_;  // why the runs cannot be listed, "" = they can
  std::unordered_map<std::string, const RunRow*> rows_;
  Quiet quiet_;
};

// The last points of a run's curves, once a second while it goes on; the last event says how it
// ended. A run that cannot be read just now, as its recorder or another reader is at its files, is
// asked again.
class RunFeed final : public Feed {
 public:
  RunFeed(Api& api, std::string id) : api_(api), id_(std::move(id)) {}
  std::optional<std::string> next() override {
    if (ended_ || !api_.home.has(id_)) return std::nullopt;
    const auto open = api_.runs.open(id_);
    const auto row = api_.rows.find(id_);
    if (!open || !row || !row->entry.problem.empty()) return quiet_.tick();
    auto series = open->series();
    if (!series) return quiet_.tick();
    quiet_.over();
    Json latest = Json::object();
    for (const RunSeries::Latest& one : (*series)->latest(counts_)) {
      latest[one.key] = {
          {"count", one.count},
          {"last", or_null(std::optional(one.last))},
          {"last_ms", one.last_ms},
          {"last_step",
           one.last_step == store::Pyramid::kNoStep ? Json(nullptr) : Json(one.last_step)}};
    }
    const double last_ms = (*series)->last_ms();
    series->lock.unlock();
    ended_ = row->entry.state != run::RunState::kRunning;
    return event("tick", {{"state", app::state_of(row->entry)},
                          {"last_ms", last_ms},
                          {"steps", steps_of(*open, *row)},
                          {"series", std::move(latest)}});
  }

 private:
  // Of one that goes on nobody has counted them yet. Of a long one that takes a while, and is done
  // so seldom that it is a twentieth of a core.
  Json steps_of(OpenRun& open, const RunRow& row) {
    const auto& outcome = row.entry.meta.outcome;
    if (row.entry.state != run::RunState::kRunning || (outcome && outcome->steps)) {
      return row.json["steps"];
    }
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    if (began < count_again_) return steps_;
    const auto tables = open.steps();
    if (tables && !tables->of->empty()) steps_ = tables->of->front().steps.size();
    count_again_ = Clock::now() + 20 * (Clock::now() - began);
    return steps_;
  }

  Api& api_;
  const std::string id_;
  std::unordered_map<std::string, std::size_t> counts_;
  Json steps_ = nullptr;
  std::chrono::steady_clock::time_point count_again_;
  Quiet quiet_;
  bool ended_ = false;
};

Response feeding(const Request& request, std::shared_ptr<Feed> feed) {
  Response response;
  if (request.method == Method::kHead) {
    response.content_type = "text/event-stream";
    return response;
  }
  response.feed = std::move(feed);
  return response;
}

}  // namespace

Response live_runs(Api& api, const Request& request, const std::string&) {
  return feeding(request, std::make_shared<RunsFeed>(api));
}

Response live_run(Api& api, const Request& request, const std::string& id) {
  if (!api.home.has(id)) return no_such_run(id);
  return feeding(request, std::make_shared<RunFeed>(api, id));
}

}  // namespace flatout::serve
