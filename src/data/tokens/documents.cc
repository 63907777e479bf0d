#include "data/tokens/documents.h"

#include <algorithm>

#include "data/tokens/number_kernels.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::int64_t kTokensAtOnce = std::int64_t{1} << 16;

std::unexpected<base::Error> too_many(const std::string& of) {
  return base::fail(ErrorCode::kTooLarge, of + ": more than " + std::to_string(kMostDocuments) +
                                              " documents; load it in parts");
}

// The index's numbers from `first` on.
Result<std::vector<std::int64_t>> read_bounds(const ArrayFile& file, std::int64_t first) {
  std::vector<std::int64_t> out(
      static_cast<std::size_t>(std::min(kTokensAtOnce, file.elements() - first)));
  auto read = file.read(first, std::as_writable_bytes(std::span(out)));
  if (!read) return std::unexpected(read.error());
  return out;
}

}  // namespace

Documents::Documents(const std::vector<std::int64_t>& bounds) : bounds_(bounds) {
  bounds_.erase(std::ranges::unique(bounds_).begin(), bounds_.end());
}

Result<Documents> Documents::ended_by(const TokenStream& stream, std::int64_t token) {
  Documents out;
  out.bounds_.push_back(0);
  const std::size_t each = bytes_of(stream.type());
  std::vector<std::byte> bytes(static_cast<std::size_t>(kTokensAtOnce) * each);
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(kTokensAtOnce));
  for (std::int64_t first = 0; first < stream.tokens(); first += kTokensAtOnce) {
    const auto count = static_cast<std::size_t>(std::min(kTokensAtOnce, stream.tokens() - first));
    const auto room = std::span(bytes).first(count * each);
    auto read = stream.read(first, room);
    if (!read) return std::unexpected(read.error());
    best_number_kernels().to_int64(stream.type(), room.data(), count, tokens.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (tokens[i] == token) out.bounds_.push_back(first + static_cast<std::int64_t>(i) + 1);
    }
    if (out.size() > kMostDocuments) return too_many(stream.name(0));
  }
  if (out.bounds_.back() != stream.tokens()) out.bounds_.push_back(stream.tokens());
  return out;
}

Result<Documents> Documents::listed_in(const TokenStream& stream, const std::string& path) {
  auto file = ArrayFile::open(path, {});
  if (!file) return std::unexpected(file.error());
  if (file->type() != ElementType::kInt64 || file->shape().size() != 1 || file->elements() < 2) {
    return base::fail(ErrorCode::kInvalid,
                      path +
                          ": an index is an .npy of int64 with one axis: where each document "
                          "begins, and where the last one ends");
  }
  if (file->elements() - 1 > kMostDocuments) return too_many(path);
  Documents out;
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < file->elements(); first += kTokensAtOnce) {
    const auto bounds = read_bounds(*file, first);
    if (!bounds) return std::unexpected(bounds.error());
    for (std::size_t i = 0; i < bounds->size(); ++i) {
      const std::int64_t bound = (*bounds)[i];
      if (bound < before || bound > stream.tokens()) {
        return base::fail(
            ErrorCode::kCorrupt,
            path + ": number " + std::to_string(first + static_cast<std::int64_t>(i)) + " is " +
                std::to_string(bound) + ", which is not from " + std::to_string(before) +
                " to the files' " + std::to_string(stream.tokens()) +
                " tokens; make the index again from these files");
      }
      before = bound;
      if (out.bounds_.empty() || out.bounds_.back() != bound) out.bounds_.push_back(bound);
    }
  }
  if (out.size() < 1)
    return base::fail(ErrorCode::kInvalid, path + ": none of its documents has a token");
  return out;
}

}  // namespace flatout::data
