// RunWriter: a recording on its way to disk. Each record becomes a frame in
// memory at once; flush() writes all frames of a tick with one write. What a
// flush has written survives SIGKILL of this process; what was synced (at most
// once a second) survives the machine.
//
// When the disk refuses (full, read-only, gone), frames stay in memory, up to
// a limit, and are tried again at later flushes; beyond the limit the newest
// are dropped and counted. timeline() always sees everything that was kept.
// One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "run/sink.h"
#include "run/timeline.h"
#include "store/codec.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/home.h"
#include "store/log_stream.h"

namespace flatout::store {

struct WriterOptions {
  std::size_t memory_limit_bytes = 256U << 20;  // of frames that wait for the disk
  base::DurationNs sync_interval_ns = base::kSecond;
  base::DurationNs retry_interval_ns = base::kSecond;  // after the disk refused
  // Where the log goes instead of the run's folder (staging.h).
  std::optional<std::filesystem::path> staging_root = std::nullopt;
};

class RunWriter final : public run::RunSink {
 public:
  // Takes an id in `home` and creates its folder and log. Never fails: when it
  // cannot, the recording is held in memory and the folder is tried again at
  // later flushes. `clock` and `disk` must outlive the writer.
  static std::unique_ptr<RunWriter> open(const Home& home, const base::Clock& clock,
                                         Disk& disk = system_disk(), WriterOptions options = {});
  // Keeps the run in memory only, because of `reason` (one line for the user).
  static std::unique_ptr<RunWriter> in_memory(std::string reason, const base::Clock& clock,
                                              WriterOptions options = {});
  // Opens the log of a lost run to append what was recovered from its rings.
  // Takes the log's lock: kExists while another flatout holds it. A torn last
  // frame is cut off. begin and end give kInvalid then, because a recovered run
  // stays lost. The caller has checked that it is (run_reader.h).
  static base::Result<std::unique_ptr<RunWriter>> reopen_lost(const Home& home,
                                                              const std::string& id,
                                                              const base::Clock& clock,
                                                              Disk& disk = system_disk(),
                                                              WriterOptions options = {});
  ~RunWriter() override;  // tries a last flush

  const std::string& id() const { return id_; }
  // Its folder, absent while the run is in memory only.
  std::optional<std::filesystem::path> folder() const;
  // True when everything recorded so far is in the log file.
  bool stored() const { return log_.has_file() && log_.waiting_bytes() == 0; }
  const Dropped& dropped() const { return dropped_; }
  // What is in no file yet, and what was dropped: lost where nothing more is written. Reads all
  // that waits.
  struct Unwritten {
    std::uint64_t values = 0;   // that were named: a program's log
    std::uint64_t records = 0;  // of all other kinds
    std::uint64_t bytes = 0;
  };
  Unwritten unwritten();
  // One line for the user, returned once: why the run is not on disk.
  std::optional<std::string> take_problem();
  // Everything kept so far, from disk and memory. State is `running` until end().
  run::Timeline timeline();

  // run::RunSink. An error other than kInvalid means that memory is full.
  // begin: info.id must be id(). After end() only facts may follow: what was found out about the
  // run once it had ended, with times up to its end.
  base::Result<void> begin(const run::RunInfo& info) override;
  base::Result<void> proc(const run::Proc& proc) override;
  base::Result<void> lane(pid_t pid, const run::Lane& lane) override;
  base::Result<void> phases(pid_t pid, std::span<const run::PhaseEvent> events) override;
  base::Result<void> batches(pid_t pid, std::span<const run::Batch> batches) override;
  base::Result<void> device_phases(pid_t pid, std::span<const run::DevicePhase> phases) override;
  base::Result<void> fact(pid_t pid, const run::Fact& fact) override;
  base::Result<void> values(pid_t pid, std::span<const run::NamedValue> values) override;
  base::Result<void> trace_names(pid_t pid, std::span<const run::TraceName> names) override;
  base::Result<void> activities(pid_t pid,
                                std::span<const run::DeviceActivity> activities) override;
  base::Result<void> host_spans(pid_t pid, std::span<const run::HostSpan> spans) override;
  base::Result<void> trace_windows(pid_t pid, std::span<const run::TraceWindow> windows) override;
  base::Result<void> device(const run::Device& device) override;
  base::Result<void> samples(std::span<const run::Sample> samples) override;
  base::Result<void> counts(const run::RingCounts& counts) override;
  base::Result<void> end(const run::RunEnd& end) override;
  // Succeeds also when the disk refuses: nothing is lost then (take_problem()).
  // Except after reopen_lost: kIo then, and the rings must be kept.
  base::Result<void> flush() override;

 private:
  enum class Stage { kFresh, kBegun, kEnded, kLost };

  RunWriter(std::optional<Home> home, const base::Clock& clock, Disk* disk, WriterOptions options);
  base::Result<void> may_record() const;
  base::Result<void> add(FrameType type, std::string_view payload, bool always = false);
  template <typename T, typename Encode>
  base::Result<void> add_all(FrameType type, std::span<const T> items, Encode encode);
  template <typename T, typename Encode>
  base::Result<void> frame_all(FrameType type, std::span<const T> items, Encode encode);
  void add_accounts(bool always);
  base::Result<void> mark_recovery();
  // `always`: also beyond the memory limit; for the few frames that matter most.
  base::Result<void> keep(std::string_view frames, std::size_t records, bool always);
  std::filesystem::path log_place() const;
  void create_file();
  base::Result<void> find_end(const std::string& name);
  void write_pending();
  void sync(bool now);
  void refuse(const base::Error& error);

  std::optional<Home> home_;
  const base::Clock& clock_;
  Disk* disk_;
  WriterOptions options_;
  std::string id_;
  Stage stage_ = Stage::kFresh;
  bool has_folder_ = false;
  LogStream log_;
  FrameEncoder encoder_;
  std::string frames_;  // being encoded
  bool mark_recovered_ = false;
  std::optional<run::RingCounts> counts_;  // of this tick
  Dropped dropped_;
  Dropped dropped_told_;
  std::optional<base::TimeNs> retry_at_;
  base::TimeNs synced_at_ = 0;
  std::string problem_;
  bool problem_taken_ = false;
};

}  // namespace flatout::store
