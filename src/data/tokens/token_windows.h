// Windows of a stream of tokens, for language models: what a model reads, and the same moved on by
// one, which it is to say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feed/array_source.h"
#include "data/tokens/token_stream.h"

namespace flatout::data {

class ArrayWork;

struct TokenWindowOptions {
  std::int64_t length = 0;
  std::int64_t stride = 0;  // from a window's first token to the next one's; 0: `length`
  bool joined = false;      // one array of length + 1 tokens, instead of inputs and targets
  ElementType out = ElementType::kInt64;  // or kInt32
};

// An epoch takes up to 16 bytes a window while it runs.
constexpr std::int64_t kMostWindows = std::int64_t{1} << 31;
constexpr std::int64_t kMostWindowTokens = std::int64_t{1} << 26;

// Windows begin at 0, stride, 2 * stride... and are there as long as their length + 1 tokens are;
// what is left at the end is in none. Parts: "inputs" and "targets" of `length` tokens each, or
// "tokens".
class TokenWindows final : public ArraySource {
 public:
  // kInvalid for options out of bounds, or a stream that is shorter than a window.
  static base::Result<std::unique_ptr<TokenWindows>> make(TokenStream stream,
                                                          const TokenWindowOptions& options);

  std::int64_t size() const override { return windows_; }
  std::string name(std::int64_t index) const override;
  std::vector<ArrayPart> parts(std::int64_t first) const override;
  std::size_t most_sample_bytes() const override;
  std::unique_ptr<SampleMaker> maker(std::shared_ptr<const ArraySource> set) const override;

  base::Result<void> write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const;
  void fetch(std::int64_t index, ArrayWork& work) const;

 private:
  TokenWindows(TokenStream stream, const TokenWindowOptions& options, std::int64_t windows)
      : stream_(std::move(stream)), options_(options), windows_(windows) {}

  TokenStream stream_;
  TokenWindowOptions options_;
  std::int64_t windows_;
};

}  // namespace flatout::data
