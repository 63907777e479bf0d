// A captured tree of kernel files in a temporary directory. For tests only.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/paths.h"
#include "run/sample.h"

namespace flatout::collect {

class FakeHost {
 public:
  FakeHost() {
    std::string name = (std::filesystem::temp_directory_path() / "flatout-collect-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) root_ = name;
  }
  ~FakeHost() {
    std::error_code error;
    if (!root_.empty()) std::filesystem::remove_all(root_, error);
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  // `path` is absolute on the pretended machine: "/proc/stat".
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  void remove(const std::string& path) { std::filesystem::remove_all(root_.string() + path); }

  host::Paths paths() const { return {.proc = root_ / "proc", .root = root_}; }

 private:
  std::filesystem::path root_;
};

struct Samples final : run::SampleSink {
  void add(const run::Sample& sample) override { all.push_back(sample); }
  // Those of the last call, by metric; -1 where it is absent.
  double value(run::Metric metric, int source = run::kHostSource) const {
    for (const auto& sample : all) {
      if (sample.metric == metric && sample.source == source) return sample.value;
    }
    return -1;
  }
  bool has(run::Metric metric, int source = run::kHostSource) const {
    return value(metric, source) >= 0;
  }
  std::vector<run::Sample> all;
};

// A line of /proc/<pid>/stat. The numbers that nobody reads differ from 0, so
// that a reader of the wrong field is found out.
struct StatLine {
  int pid = 0;
  std::string command = "python3";
  char state = 'S';
  int parent = 1;
  unsigned long user = 0;
  unsigned long system = 0;
  int threads = 1;
  unsigned long start = 100;
  long rss_pages = 1;
  unsigned long major_faults = 76;
  std::string text() const {
    return std::to_string(pid) + " (" + command + ") " + state + " " + std::to_string(parent) +
           " 71 72 34816 73 4194304 74 75 " + std::to_string(major_faults) + " 77 " +
           std::to_string(user) + " " + std::to_string(system) + " 78 79 20 0 " +
           std::to_string(threads) + " 0 " + std::to_string(start) + " 987654321 " +
           std::to_string(rss_pages) +
           " 18446744073709551615 1 1 0 0 0 0 0 16781312 17642 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 "
           "0\n";
  }
};

}  // namespace flatout::collect
