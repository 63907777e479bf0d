#include "data/tokens/pack_plan.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace flatout::data {
namespace {

// The room that is left in sequences, of which the first one with enough is found in the logarithm
// of their number: each node holds the most of those below it.
class Rooms {
 public:
  Rooms(std::size_t sequences, std::int32_t length)
      : leaves_(std::bit_ceil(std::max<std::size_t>(sequences, 1))), most_(2 * leaves_, length) {}

  // There must be one.
  std::size_t take(std::int32_t tokens) {
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (most_[node] < tokens) ++node;
    }
    const std::size_t sequence = node - leaves_;
    most_[node] -= tokens;
    for (node /= 2; node > 0; node /= 2)
      most_[node] = std::max(most_[2 * node], most_[2 * node + 1]);
    return sequence;
  }

 private:
  std::size_t leaves_;
  std::vector<std::int32_t> most_;
};

// Each document in pieces of `length` tokens, and the rest.
std::vector<PackedPiece> cut_documents(const Documents& documents, std::int64_t length) {
  std::vector<PackedPiece> out;
  for (std::int64_t index = 0; index < documents.size(); ++index) {
    auto [begin, left] = documents.at(index);
    while (left > 0) {
      const std::int64_t tokens = std::min(left, length);
      left -= tokens;
      out.push_back({begin, static_cast<std::int32_t>(tokens), left > 0});
      begin += tokens;
    }
  }
  return out;
}

PackPlan first_fit(const Documents& documents, std::int64_t length) {
  const std::vector<PackedPiece> pieces = cut_documents(documents, length);
  Rooms rooms(pieces.size(), static_cast<std::int32_t>(length));
  std::vector<std::uint32_t> sequence_of;
  sequence_of.reserve(pieces.size());
  PackPlan out;
  for (const PackedPiece& piece : pieces) {
    const std::size_t sequence = rooms.take(piece.tokens);
    if (sequence == out.ends.size()) out.ends.push_back(0);
    ++out.ends[sequence];
    sequence_of.push_back(static_cast<std::uint32_t>(sequence));
  }
  // Sorted by sequence: `ends` counts, then reports where each begins, and at last where it ends.
  std::int64_t begin = 0;
  for (std::int64_t& end : out.ends) begin += std::exchange(end, begin);
  out.pieces.resize(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    out.pieces[static_cast<std::size_t>(out.ends[sequence_of[i]]++)] = pieces[i];
  return out;
}

PackPlan concat(const Documents& documents, std::int64_t length) {
  PackPlan out;
  std::int64_t room = length;
  for (std::int64_t index = 0; index < documents.size(); ++index) {
    auto [begin, left] = documents.at(index);
    while (left > 0) {
      const std::int64_t tokens = std::min(left, room);
      left -= tokens;
      room -= tokens;
      out.pieces.push_back({begin, static_cast<std::int32_t>(tokens), left > 0});
      begin += tokens;
      if (room > 0) continue;
      out.ends.push_back(static_cast<std::int64_t>(out.pieces.size()));
      room = length;
    }
  }
  if (room < length) out.ends.push_back(static_cast<std::int64_t>(out.pieces.size()));
  return out;
}

}  // namespace

PackPlan plan_packing(const Documents& documents, std::int64_t length, PackMethod method) {
  return method == PackMethod::kConcat ? concat(documents, length) : first_fit(documents, length);
}

}  // namespace flatout::data
