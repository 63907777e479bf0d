// A run of another tracker on its way into a home. Main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/home.h"
#include "store/run_writer.h"
#include "trackers/imported_run.h"

namespace flatout::app {

class ImportIntoHome final : public trackers::ImportSink {
 public:
  // `origin` is the path that the user can be shown. `home` and `clock` must outlive it.
  ImportIntoHome(const store::Home& home, const base::Clock& clock, std::string origin);
  ~ImportIntoHome() override;

  base::Result<void> begin(const trackers::ImportedHead& head) override;
  base::Result<void> values(std::span<const trackers::ImportedValue> values) override;
  base::Result<void> fact(std::string_view key, std::string json, std::int64_t wall_ns) override;
  base::Result<std::string> file(std::string_view bytes, std::string_view extension) override;
  base::Result<void> end(trackers::ImportedEnd how, std::optional<int> exit_code,
                         std::int64_t wall_ns) override;
  void note(std::string line) override;

  // Once end() was called: seals the run and keeps its headline. Else removes what there is.
  void close();

  const std::string& id() const { return id_; }  // "" before begin()
  const std::string& name() const { return name_; }
  std::uint64_t value_count() const { return value_count_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::int64_t t_ns(std::int64_t wall_ns) const;
  base::Result<void> say(std::string_view key, std::string json, std::int64_t at_ns);

  const store::Home& home_;
  const base::Clock& clock_;
  std::string origin_;
  std::unique_ptr<store::RunWriter> writer_;
  std::string id_;
  std::string name_;
  std::string source_;
  std::int64_t started_wall_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::uint64_t value_count_ = 0;
  std::vector<std::string> notes_;
  bool ended_ = false;
};

// What a stored run's command is where it was imported from `origin`.
std::vector<std::string> import_command(const std::string& origin);

}  // namespace flatout::app
