#include "data/tokens/token_stream.h"

#include <sys/resource.h>

#include <algorithm>

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

bool holds_tokens(ElementType type) {
  return type == ElementType::kUint8 || type == ElementType::kUint16 ||
         type == ElementType::kUint32 || type == ElementType::kInt32 || type == ElementType::kInt64;
}

// The rest is the program's.
std::size_t most_open_files() {
  rlimit bound{};
  constexpr std::size_t kShare = 4;
  constexpr std::size_t kUsual = 1024;
  if (::getrlimit(RLIMIT_NOFILE, &bound) != 0) return kUsual / kShare;
  return static_cast<std::size_t>(std::min<rlim_t>(bound.rlim_cur, kMostTokenFiles)) / kShare;
}

}  // namespace

Result<TokenStream> TokenStream::open(const std::vector<std::string>& paths,
                                      const ArrayFileOptions& options) {
  if (paths.empty() || paths.size() > kMostTokenFiles) {
    return base::fail(ErrorCode::kInvalid, "tokens: of " + std::to_string(paths.size()) +
                                               " files; name 1 to " +
                                               std::to_string(kMostTokenFiles));
  }
  TokenStream out;
  const std::size_t stay_open = most_open_files();
  for (const std::string& path : paths) {
    auto file = ArrayFile::open(path, options);
    if (!file) return std::unexpected(file.error());
    if (!holds_tokens(file->type())) {
      return base::fail(ErrorCode::kInvalid,
                        path + ": holds " + name_of(file->type()) +
                            "; tokens are uint8, uint16, uint32, int32 or int64");
    }
    if (!out.files_.empty() && file->type() != out.type()) {
      return base::fail(ErrorCode::kInvalid, path + ": holds " + name_of(file->type()) + ", and " +
                                                 paths.front() + " " + name_of(out.type()) +
                                                 "; files of one set are of one type");
    }
    const std::int64_t before = out.ends_.empty() ? 0 : out.ends_.back();
    if (file->elements() > INT64_MAX / 8 - before)
      return base::fail(ErrorCode::kTooLarge, path + ": its tokens are more than can be counted");
    out.ends_.push_back(before + file->elements());
    if (paths.size() > stay_open) file->close();
    out.files_.push_back(std::move(*file));
  }
  return out;
}

std::size_t TokenStream::file_of(std::int64_t token) const {
  const auto found = std::ranges::upper_bound(ends_, token);
  return std::min(static_cast<std::size_t>(found - ends_.begin()), files_.size() - 1);
}

Result<void> TokenStream::read(std::int64_t first, std::span<std::byte> out) const {
  const std::size_t each = bytes_of(type());
  for (std::size_t file = file_of(first); !out.empty(); ++file) {
    const auto count = std::min(out.size() / each, static_cast<std::size_t>(ends_[file] - first));
    auto done = files_[file].read(first - begin_of(file), out.first(count * each));
    if (!done) return done;
    out = out.subspan(count * each);
    first += static_cast<std::int64_t>(count);
  }
  return {};
}

TokenStream::Place TokenStream::find(std::int64_t first, std::int64_t count) const {
  const std::size_t file = file_of(first);
  if (first + count > ends_[file]) return {};
  return {&files_[file], first - begin_of(file)};
}

std::string TokenStream::name(std::int64_t token) const {
  const std::size_t file = file_of(token);
  return files_[file].path() + ": token " + std::to_string(token - begin_of(file));
}

}  // namespace flatout::data
