// The source of this folder over the pretended driver, with a clock of the
// test's own. For tests only.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "collect/nvml/nvml_source.h"
#include "collect/testing_tree.h"

namespace flatout::collect::nvml {

class NvmlTest : public ::testing::Test {
 protected:
  void SetUp() override { clock.advance(1000 * base::kSecond); }
  void TearDown() override {
    source.reset();
    ::unsetenv("FAKE_NVML_SCRIPT");
  }

  void start(const std::string& script, NvmlOptions options = {.library = FAKE_NVML}) {
    host.write("/script", script);
    ::setenv("FAKE_NVML_SCRIPT", (host.paths().root / "script").c_str(), 1);
    library = options.library;
    source = std::make_unique<NvmlSource>(std::move(options), clock, processes, call_name);
  }

  // One round that should have begun `late` before the present time.
  base::Result<void> round(base::DurationNs late = 0) { return ask(late, false); }
  base::Result<void> last_round() { return ask(0, true); }
  base::Result<void> ask(base::DurationNs late, bool is_last) {
    void* opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    using SetClock = void(long long);
    auto* set = opened == nullptr
                    ? nullptr
                    : reinterpret_cast<SetClock*>(::dlsym(opened, "fake_nvml_set_clock"));
    if (set != nullptr) set(clock.wall() / 1000);
    const base::TimeNs now = clock.monotonic() - late;
    auto done = is_last ? source->last_sample(now, out) : source->sample(now, out);
    for (auto& device : source->take_devices()) devices[device.index] = std::move(device);
    for (auto& note : source->take_notes()) notes.push_back(std::move(note));
    return done;
  }
  // Rounds ten times a second, the first at once.
  void run_for(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 10 + 0.5); ++i) {
      EXPECT_TRUE(round());
      clock.advance(base::kSecond / 10);
    }
  }

  std::vector<run::Sample> series(run::Metric metric, int index = 0) const {
    return of(metric, run::device_source(index));
  }
  std::vector<run::Sample> of(run::Metric metric, int from) const {
    std::vector<run::Sample> found;
    for (const auto& sample : out.all) {
      if (sample.metric == metric && sample.source == from) found.push_back(sample);
    }
    return found;
  }
  double mean(run::Metric metric, int index = 0) const {
    const auto all = series(metric, index);
    double sum = 0;
    for (const auto& sample : all) sum += sample.value;
    return all.empty() ? -1 : sum / static_cast<double>(all.size());
  }
  double last(run::Metric metric, int index = 0) const {
    const auto all = series(metric, index);
    return all.empty() ? -1 : all.back().value;
  }
  std::string why(run::Metric metric, int index = 0) { return why(key(metric), index); }
  std::string why(const std::string& name, int index = 0) {
    const auto& all = devices[index].unavailable;
    const auto found = all.find(name);
    return found == all.end() ? "" : found->second;
  }

  FakeHost host;
  base::FakeClock clock;
  std::string library;
  std::shared_ptr<RunProcesses> processes = std::make_shared<RunProcesses>();
  std::shared_ptr<CallName> call_name = std::make_shared<CallName>(nullptr);
  std::unique_ptr<NvmlSource> source;
  Samples out;
  std::map<int, run::Device> devices;
  std::vector<std::string> notes;
};

}  // namespace flatout::collect::nvml
