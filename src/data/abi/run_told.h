// What a loader reports to the `flatout run` that its program runs under: when the program asks for
// batches and waits for them, and what the engine's threads did. Through the ring of the process,
// as hooks and libflatout.so do (wire/record.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/abi/loader_handle.h"
#include "data/abi/telling_times.h"
#include "data/spec/loader_spec.h"

namespace flatout::data::abi {

// Of one loader, and one thread at a time. Never fails: what cannot be written is left out.
class RunTold {
 public:
  // null where nobody records: not under `flatout run`, or the spec's "tell_run" is false.
  static std::unique_ptr<RunTold> of(const spec::LoaderSpec& spec);

  // Around `call`, which begins an epoch and returns a status.
  template <typename Call>
  int epoch(const OpenLoader& open, Call&& call) {
    begin(open);
    const int status = call();
    begun();
    return status;
  }

  // Around `call`, which waits for a batch, and says in its argument how many samples that has.
  template <typename Call>
  int draw(OpenLoader& open, Call&& call) {
    ask();
    std::size_t samples = 0;
    const int status = call(samples);
    given(open, status, samples);
    return status;
  }

  // The loader is closed: the last figures.
  void closing(OpenLoader& open);

 private:
  explicit RunTold(const spec::LoaderSpec& spec);
  bool here() const;  // not in a child of fork()
  void introduce(const OpenLoader& open);
  void begin(const OpenLoader& open);
  void begun();
  void ask();
  void given(OpenLoader& open, int status, std::size_t samples);
  void tell(OpenLoader& open);

  std::uint32_t process_;
  std::uint32_t number_;  // of the loader, and of its iterator
  std::size_t batch_size_;
  bool drop_last_;
  bool introduced_ = false;
  bool open_phase_ = false;  // one that was written
  TellingTimes times_;
};

}  // namespace flatout::data::abi
