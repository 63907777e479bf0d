#include "app/compared_ranks.h"

#include <exception>
#include <utility>

#include "analyse/analyse.h"
#include "analyse/stragglers/rank_numbers.h"
#include "analyse/stragglers/rank_trace.h"
#include "analyse/stragglers/stragglers.h"
#include "host/memory_room.h"
#include "trace/open_trace.h"

namespace flatout::app {
namespace {

// `timeline` is left as it is.
base::Result<analyse::RankTrace> kept_of(const run::Timeline& timeline, const std::string& file) {
  try {
    analyse::RankTrace rank = analyse::rank_trace_of(timeline, analyse::measure(timeline));
    rank.file = file;
    return rank;
  } catch (const std::exception& problem) {
    return base::fail(base::ErrorCode::kInvalid, file + " cannot be analysed: " + problem.what());
  }
}

}  // namespace

base::Result<ComparedTraces> compared_ranks(const std::vector<std::string>& files) {
  std::vector<analyse::RankTrace> ranks(files.size());
  ComparedTraces result;
  // The first one last: it stays.
  for (std::size_t left = files.size(); left > 0; --left) {
    const std::string& file = files[left - 1];
    auto timeline = trace::open_trace(file, host::memory_room_bytes({}));
    if (!timeline) return std::unexpected(timeline.error());
    auto rank = kept_of(*timeline, file);
    if (!rank) return std::unexpected(rank.error());
    ranks[left - 1] = std::move(*rank);
    if (left == 1) result.first = std::move(*timeline);
  }
  const run::RanksFrom from = analyse::number_ranks(ranks);
  result.ranks = analyse::compare_ranks(ranks);
  result.ranks.from = from;
  return result;
}

}  // namespace flatout::app
