// Files of tokens, one after the other, as one stream.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/tokens/array_file.h"

namespace flatout::data {

constexpr std::size_t kMostTokenFiles = std::size_t{1} << 16;

// Never changed once it is open; from any thread. Of more files than a quarter of those that the
// process may have open, none stays open.
class TokenStream {
 public:
  // kInvalid where a file's numbers are no tokens (integers of 8 bits without a sign, of 16
  // without, of 32 with and without, of 64 with), or of another type than the first one's.
  static base::Result<TokenStream> open(const std::vector<std::string>& paths,
                                        const ArrayFileOptions& options);

  std::int64_t tokens() const { return ends_.back(); }
  ElementType type() const { return files_.front().type(); }

  // Tokens from `first` on, until `out` is full, as they lie in the files, across their ends. The
  // caller has checked that they are there.
  base::Result<void> read(std::int64_t first, std::span<std::byte> out) const;

  // The file in which all of these `count` tokens lie, and the first one's number there; null where
  // they lie in several.
  struct Place {
    const ArrayFile* file = nullptr;
    std::int64_t first = 0;
  };
  Place find(std::int64_t first, std::int64_t count) const;

  // How messages name a token: its file, and its number there.
  std::string name(std::int64_t token) const;

 private:
  std::size_t file_of(std::int64_t token) const;
  std::int64_t begin_of(std::size_t file) const { return file == 0 ? 0 : ends_[file - 1]; }

  std::vector<ArrayFile> files_;
  std::vector<std::int64_t> ends_;  // of each file, in tokens of the stream
};

}  // namespace flatout::data
