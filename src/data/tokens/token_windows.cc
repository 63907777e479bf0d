#include "data/tokens/token_windows.h"

#include "data/tokens/array_maker.h"
#include "data/tokens/number_kernels.h"
#include "data/tokens/part_writer.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

Result<std::unique_ptr<TokenWindows>> TokenWindows::make(TokenStream stream,
                                                         const TokenWindowOptions& given) {
  TokenWindowOptions options = given;
  if (options.stride == 0) options.stride = options.length;
  if (options.length < 1 || options.length > kMostWindowTokens || options.stride < 1) {
    return base::fail(ErrorCode::kInvalid,
                      "window: a length of " + std::to_string(options.length) +
                          " and a stride of " + std::to_string(options.stride) +
                          " tokens; the length is 1 to " + std::to_string(kMostWindowTokens));
  }
  if (!is_token_output(options.out))
    return base::fail(ErrorCode::kInvalid, "tokens are given as int64 or int32");
  const std::int64_t beyond_first = stream.tokens() - options.length - 1;
  if (beyond_first < 0) {
    return base::fail(ErrorCode::kInvalid, "window: the files hold " +
                                               std::to_string(stream.tokens()) +
                                               " tokens, and one window with its targets takes " +
                                               std::to_string(options.length + 1) + "; shorten it");
  }
  const std::int64_t windows = beyond_first / options.stride + 1;
  if (windows > kMostWindows) {
    return base::fail(ErrorCode::kTooLarge, "window: " + std::to_string(windows) +
                                                " windows are more than an epoch may have (" +
                                                std::to_string(kMostWindows) +
                                                "); make the stride longer");
  }
  return std::unique_ptr<TokenWindows>(new TokenWindows(std::move(stream), options, windows));
}

std::string TokenWindows::name(std::int64_t index) const {
  return stream_.name(index * options_.stride);
}

std::vector<ArrayPart> TokenWindows::parts(std::int64_t /*first*/) const {
  if (options_.joined) return {{"tokens", options_.out, {options_.length + 1}}};
  return {{"inputs", options_.out, {options_.length}},
          {"targets", options_.out, {options_.length}}};
}

std::size_t TokenWindows::most_sample_bytes() const {
  std::size_t out = 0;
  for (const ArrayPart& part : parts(0)) out += part.bytes();
  return out;
}

std::unique_ptr<SampleMaker> TokenWindows::maker(std::shared_ptr<const ArraySource> set) const {
  return std::make_unique<ArrayMaker<TokenWindows>>(std::move(set), *this);
}

void TokenWindows::fetch(std::int64_t index, ArrayWork& work) const {
  work.fetch(stream_, index * options_.stride, options_.length + 1);
}

Result<void> TokenWindows::write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const {
  const ElementType from = stream_.type();
  const std::size_t each = bytes_of(from);
  const auto length = static_cast<std::size_t>(options_.length);
  const std::int64_t first = index * options_.stride;
  PartWriter parts(at);
  if (options_.joined && from == options_.out) {  // as they lie in the file
    const std::size_t bytes = (length + 1) * each;
    auto read = work.copy(stream_, first, {parts.next(bytes), bytes});
    work.into(&StageSums::read);
    return read;
  }
  const auto in = work.take(stream_, first, length + 1);
  work.into(&StageSums::read);
  if (!in) return std::unexpected(in.error());
  const NumberKernels& kernels = best_number_kernels();
  const std::size_t count = options_.joined ? length + 1 : length;
  const std::size_t bytes = count * bytes_of(options_.out);
  auto written = write_tokens(kernels, from, *in, count, options_.out, parts.next(bytes));
  if (written && !options_.joined) {
    written = write_tokens(kernels, from, *in + each, count, options_.out, parts.next(bytes));
  }
  work.into(&StageSums::transform);
  if (!written)
    return base::fail(written.error().code, name(index) + ": " + written.error().message);
  return {};
}

}  // namespace flatout::data
