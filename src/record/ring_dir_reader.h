// The rings of a run: files `ring.<pid>.<start_ticks>` in one directory, which
// observed processes create as they come.
//
// Nothing is lost when the recorder is killed: drain() hands records out but
// leaves them in the ring until commit(), which the caller calls once they are
// in the file. Whoever drains after a kill sees at most the last uncommitted
// records twice (see recover.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.h"
#include "base/time.h"
#include "record/ring_decoder.h"
#include "record/ring_file.h"
#include "record/trace_names.h"
#include "run/sink.h"

namespace flatout::record {

// One thread.
class RingDirReader {
 public:
  // `chunk` is the callee's to move from. Called at least once for each ring
  // (a new one comes with an empty chunk), and once per 4 MiB that waited.
  using Take = std::function<void(const RingOwner&, RingChunk& chunk)>;

  explicit RingDirReader(std::filesystem::path dir, std::filesystem::path proc = "/proc");
  ~RingDirReader();
  RingDirReader(const RingDirReader&) = delete;
  RingDirReader& operator=(const RingDirReader&) = delete;

  // Maps new rings and hands out all that waits.
  void drain(base::TimeNs now, const Take& take);
  // The same of rings that were met before, without a look at the directory or at processes.
  void drain_open(const Take& take);
  // How full the fullest of those is, 0 to 1.
  double fullest() const;
  // Frees what was handed out; a ring whose writer had ended before it was
  // drained is unlinked.
  void commit();
  // Unlinks every ring, also those whose writers live (they go on writing into
  // memory that nobody reads, which does them no harm).
  void unlink_all();

  // The writers whose rings were unlinked since the last call.
  std::vector<base::ProcessId> take_ended() { return std::exchange(ended_, {}); }
  // Those of the rings that are left.
  std::vector<base::ProcessId> writers() const;
  // See RingFile::claim_stop. True as well where `pid` has no ring.
  bool claim_stop(pid_t pid);
  // What ring names stood for before this reader came (see recover.h).
  void preload_name(pid_t pid, std::uint32_t id, const std::string& name);

  // The same of a trace ring's names: its number of a name, and the names of the run.
  void preload_trace_name(pid_t pid, std::uint32_t in_ring, std::uint32_t number);
  void preload_trace_text(std::uint32_t number, std::string_view text) {
    trace_names_.know(number, text);
  }

  // Over all rings, the unlinked ones too.
  run::RingCounts counts() const;
  // Damaged rings and files that are no rings, one line each, each once.
  std::vector<std::string> take_notes();

 private:
  struct Ring;

  void look_for_new(const Take& take);
  void open_ring(const std::string& name, const Take& take);
  void find_ended();
  void drain_one(const std::string& name, Ring& ring, const Take& take);
  void retire(const std::string& name, const Ring& ring);
  static void add_counts(const Ring& ring, run::RingCounts& to);
  void note(std::string line) { notes_.push_back(std::move(line)); }

  std::filesystem::path dir_;
  std::filesystem::path proc_;
  std::map<std::string, std::unique_ptr<Ring>> rings_;  // by file name
  std::set<std::string> refused_;
  run::RingCounts retired_;
  std::vector<base::ProcessId> ended_;
  std::map<pid_t, std::map<std::uint32_t, std::string>> known_names_;
  std::map<pid_t, std::map<std::uint32_t, std::uint32_t>> known_trace_names_;
  TraceNames trace_names_;
  std::vector<std::string> notes_;
  base::TimeNs next_alive_check_ns_ = 0;
  bool dir_told_ = false;
};

}  // namespace flatout::record
