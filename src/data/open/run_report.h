// What a loader reports to the `flatout run` that its program runs under: when the program asks for
// batches and waits for them, and what the engine's threads did. Through the ring of the process,
// as hooks and libflatout.so do (wire/record.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/open/report_schedule.h"
#include "data/spec/loader_spec.h"

namespace flatout::data {

struct OpenLoader;

// Of one loader, and one thread at a time. Never fails: what cannot be written is left out.
class RunReport {
 public:
  // null where nobody records: not under `flatout run`, or the spec's "tell_run" is false.
  static std::unique_ptr<RunReport> of(const spec::LoaderSpec& spec);

  // Around `call`, which begins an epoch.
  template <typename Call>
  auto epoch(const OpenLoader& open, Call&& call) {
    begin(open);
    auto out = call();
    begun();
    return out;
  }

  // Around `call`, which waits for a batch: Result of a pointer to one, null at the epoch's end.
  template <typename Call>
  auto draw(OpenLoader& open, Call&& call) {
    ask();
    auto batch = call();
    if (!batch)
      given(open, Drawn::kFailed, 0);
    else if (*batch == nullptr)
      given(open, Drawn::kEnd, 0);
    else
      given(open, Drawn::kBatch, (*batch)->made.indices.size());
    return batch;
  }

  // The loader is closed: the last figures.
  void closing(OpenLoader& open);

 private:
  enum class Drawn : std::uint8_t { kBatch, kEnd, kFailed };

  explicit RunReport(const spec::LoaderSpec& spec);
  bool here() const;  // not in a child of fork()
  void introduce(const OpenLoader& open);
  void begin(const OpenLoader& open);
  void begun();
  void ask();
  void given(OpenLoader& open, Drawn what, std::size_t samples);
  void report(OpenLoader& open);

  std::uint32_t process_;
  std::uint32_t number_;  // of the loader, and of its iterator
  std::size_t batch_size_;
  bool drop_last_;
  bool introduced_ = false;
  bool open_phase_ = false;  // one that was written
  ReportSchedule schedule_;
};

}  // namespace flatout::data
