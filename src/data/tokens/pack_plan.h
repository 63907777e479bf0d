// Which pieces of documents lie together in sequences of one length. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tokens/documents.h"

namespace flatout::data {

struct PackedPiece {
  std::int64_t begin = 0;  // in the stream
  std::int32_t tokens = 0;
  bool goes_on = false;  // the document has a token behind this piece
  bool operator==(const PackedPiece&) const = default;
};

enum class PackMethod { kFirstFit, kConcat };

// 16 bytes a piece, 8 a sequence.
struct PackPlan {
  std::vector<PackedPiece> pieces;  // of one sequence after the other
  std::vector<std::int64_t> ends;   // of each sequence in `pieces`

  std::int64_t sequences() const { return static_cast<std::int64_t>(ends.size()); }
};

// kFirstFit: documents in their order, each into the first sequence that has room for it; one that
// is longer than a sequence is cut, and its pieces are placed likewise. kConcat: documents one
// behind the other, cut wherever a sequence is full. No token is left out.
PackPlan plan_packing(const Documents& documents, std::int64_t length, PackMethod method);

}  // namespace flatout::data
