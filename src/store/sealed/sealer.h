// Frames of a log to rows of a sealed run: points of a series gather until a
// chunk is full, and so do the events of a process. All series are cut at the
// same moment, so that those which were sampled together share one column of
// times. One thread. Internal to store/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/codec.h"
#include "store/frame_log.h"
#include "store/sealed/sealed_writer.h"

namespace flatout::store {

class Sealer {
 public:
  // `writer` must outlive it.
  explicit Sealer(SealedWriter& writer) : writer_(writer) {}

  base::Result<void> add(const Frame& frame);
  base::Result<void> add_note(std::string_view line);
  // What still gathers becomes rows, and the file is complete.
  base::Result<void> finish();
  // Of all that was put in; after finish().
  const SealedDigest& digest() const { return digest_; }
  const std::optional<run::RunInfo>& info() const { return info_; }

 private:
  struct Series {
    std::vector<std::int64_t> times;
    std::vector<double> values;
    std::optional<std::int64_t> before_ns;  // last time of the chunk before
  };
  template <typename T>
  struct Events {
    std::int64_t seq = 0;  // of the first of them
    std::vector<T> items;
  };
  template <typename T>
  using ByProcess = std::map<pid_t, Events<T>>;
  struct Column;
  class Columns;

  base::Result<void> add_raw(const Frame& frame);
  base::Result<void> add_samples(const std::vector<run::Sample>& samples);
  template <typename T>
  base::Result<void> gather(ByProcess<T>& events, OfProcess<std::vector<T>> more);
  template <typename T>
  base::Result<void> write(pid_t pid, Events<T>& events);
  template <typename T>
  base::Result<void> write_part(std::int64_t seq, pid_t pid, std::span<const T> items);
  template <typename T>
  base::Result<void> write_all(ByProcess<T>& events);
  base::Result<void> write_series();

  SealedWriter& writer_;
  SealedDigest digest_;
  std::map<run::SeriesKey, Series> series_;
  ByProcess<run::PhaseEvent> phases_;
  ByProcess<run::Batch> batches_;
  ByProcess<run::DevicePhase> device_phases_;
  ByProcess<run::NamedValue> values_;
  ByProcess<run::DeviceActivity> activities_;
  ByProcess<run::HostSpan> host_spans_;
  ByProcess<run::TraceWindow> trace_windows_;
  std::optional<run::RunInfo> info_;
  std::map<std::string_view, std::string> latest_;  // keys of table `run`
  // Hashes by seq: rows are written in another order than they are read.
  std::map<std::int64_t, std::uint64_t> stated_;
  std::int64_t next_seq_ = 0;
};

// The same digest from a file, as SealedReader gives it back.
class SealedReader;
SealedDigest digest_of(SealedReader& reader);

}  // namespace flatout::store
