// Where the documents of a stream of tokens begin and end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/tokens/token_stream.h"

namespace flatout::data {

constexpr std::int64_t kMostDocuments = std::int64_t{1} << 28;

struct TokenSpan {
  std::int64_t begin = 0;  // in the stream
  std::int64_t tokens = 0;
  bool operator==(const TokenSpan&) const = default;
};

// 8 bytes a document. Never changed once it is there. Documents without a token are none.
class Documents {
 public:
  // `token` ends a document and belongs to it; what is after the last one is a document as well.
  // Reads the whole stream once.
  static base::Result<Documents> ended_by(const TokenStream& stream, std::int64_t token);

  // `path`: an .npy of int64, of one axis: where each document begins in the stream, and where the
  // last one ends. Errors name the file and what is wrong with which number.
  static base::Result<Documents> listed_in(const TokenStream& stream, const std::string& path);

  // `bounds`: rising, as listed_in() wants them; for tests.
  explicit Documents(const std::vector<std::int64_t>& bounds);

  std::int64_t size() const { return static_cast<std::int64_t>(bounds_.size()) - 1; }
  TokenSpan at(std::int64_t index) const {
    const std::int64_t* const bound = bounds_.data() + index;
    return {bound[0], bound[1] - bound[0]};
  }

 private:
  Documents() = default;

  std::vector<std::int64_t> bounds_;  // one more than there are documents
};

}  // namespace flatout::data
