// For tests: takes what a reader hands on, and has a folder of files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trackers/find_runs.h"

namespace flatout::trackers {

struct Recorded final : ImportSink {
  ImportedHead head;
  int begun = 0;
  std::vector<ImportedValue> all;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> files;
  std::vector<std::string> notes;
  std::optional<ImportedEnd> how;
  std::optional<int> exit_code;
  std::int64_t end_ns = 0;

  base::Result<void> begin(const ImportedHead& said) override {
    ++begun;
    head = said;
    return {};
  }
  base::Result<void> values(std::span<const ImportedValue> values) override {
    all.insert(all.end(), values.begin(), values.end());
    return {};
  }
  base::Result<void> fact(std::string_view key, std::string json, std::int64_t) override {
    facts.emplace_back(key, std::move(json));
    return {};
  }
  base::Result<std::string> file(std::string_view bytes, std::string_view extension) override {
    files.emplace_back(bytes);
    return "kept." + std::string(extension);
  }
  base::Result<void> end(ImportedEnd said, std::optional<int> code, std::int64_t wall) override {
    how = said;
    exit_code = code;
    end_ns = wall;
    return {};
  }
  void note(std::string line) override { notes.push_back(std::move(line)); }

  // The last one of this key.
  std::string fact_of(std::string_view key) const {
    std::string found;
    for (const auto& [name, json] : facts) {
      if (name == key) found = json;
    }
    return found;
  }
};

class Trackers : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() /
            ("trackers." + std::string(test->name()) + "." + std::to_string(::getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path put(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  Recorded read(const std::filesystem::path& path) {
    Recorded sink;
    const auto found = find_runs(path);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    if (!found || found->size() != 1) return sink;
    const auto done = read_found(found->front(), nullptr, sink);
    if (!done) error_ = done.error().message;
    return sink;
  }

  std::filesystem::path root_;
  std::string error_;
};

}  // namespace flatout::trackers
