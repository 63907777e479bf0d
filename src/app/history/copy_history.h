// Copies the history of a tracked run into the recording of one that begins with it: numbers as
// values of that one's track, texts and media as its rows. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/history/find_history.h"
#include "base/time.h"
#include "run/sink.h"

namespace flatout::app {

struct CopiedHistory {
  std::int64_t values = 0;
  std::int64_t rows = 0;
  std::string problem;  // why some of it is missing, as a part of a sentence; "" = nothing is
};

// Of what `asked` wants of `found`, into `sink`, as said by asked.pid on asked.track: the config,
// the rules of metrics, numbers and rows. Times keep their distances, and the latest becomes
// asked.t_ns, so that all of them lie before it. Files of rows are linked, else copied, into
// files/ of `folder`. Nothing more is begun once `clock` has passed `until_ns`: what is missing
// then is said.
CopiedHistory copy_history(const HistoryAsked& asked, const FoundHistory& found,
                           const std::filesystem::path& folder, run::RunSink& sink,
                           const base::Clock& clock, base::TimeNs until_ns);

}  // namespace flatout::app
