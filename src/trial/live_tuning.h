// `flatout run --tune`: settings are tried inside the program that is recorded, by a thread of its
// own beside the recorder's (apply/live_tuner.h). The thread reads the run from its folder, and
// speaks with the program through a page of shared memory (trial/control_page.h).
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apply/live_tuner.h"
#include "base/result.h"

namespace flatout::trial {

class ControlPage;

class LiveTuning {
 public:
  // Makes the page. `page`: a file that is not there yet; `run_folder`: of the store. kIo.
  static base::Result<std::unique_ptr<LiveTuning>> make(std::filesystem::path page,
                                                        std::filesystem::path run_folder,
                                                        apply::LiveTuneOptions options);
  ~LiveTuning() { program_ended(); }
  LiveTuning(const LiveTuning&) = delete;
  LiveTuning& operator=(const LiveTuning&) = delete;

  // Variables for the program's environment, as NAME=value.
  std::vector<std::string> variables() const;
  // The program is about to run. No signal is handled by the thread.
  void begin();
  // Rows that were decided since the last call. Any thread.
  std::vector<run::TuneTrial> take_rows();
  // Ends the thread, within a few milliseconds where it waits for the program.
  void program_ended();
  // Its outcome; absent if the search did not begin. After program_ended.
  const std::optional<apply::LiveTuned>& result() const { return result_; }
  // Why it did not begin, one clause.
  const std::string& why_not() const { return why_not_; }

 private:
  LiveTuning(std::filesystem::path page, std::filesystem::path run_folder,
             apply::LiveTuneOptions options)
      : page_(std::move(page)), run_folder_(std::move(run_folder)), options_(std::move(options)) {}
  void search(ControlPage& page);
  void search_and_leave();

  const std::filesystem::path page_;
  const std::filesystem::path run_folder_;
  const apply::LiveTuneOptions options_;
  std::thread thread_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::vector<run::TuneTrial> rows_;  // under mutex_
  std::optional<apply::LiveTuned> result_;
  std::string why_not_;
};

}  // namespace flatout::trial
