// Any bytes as an .npy file, a flat file of tokens, or an index of documents: what is opened can be
// read to its end and no further, and documents lie within their stream. First byte: the type of a
// flat file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "data/tokens/array_file.h"
#include "data/tokens/array_rows.h"
#include "data/tokens/documents.h"
#include "data/tokens/npy_header.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

std::string path_of(int file, const std::uint8_t* data, std::size_t size) {
  if (file < 0 || ::ftruncate(file, 0) != 0) std::abort();
  if (::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

void read_whole(const std::string& path, const ArrayFileOptions& options, std::size_t size) {
  const auto file = ArrayFile::open(path, options);
  if (!file) return;
  const std::size_t bytes = static_cast<std::size_t>(file->elements()) * bytes_of(file->type());
  if (bytes > size) std::abort();
  std::vector<std::byte> numbers(bytes);
  if (!file->read(0, numbers)) std::abort();
  numbers.resize(bytes + 1);
  if (bytes == size && file->read(0, numbers)) std::abort();
}

void read_rows(const std::string& path, std::size_t size) {
  const std::shared_ptr<const ArraySource> rows = ArrayRows::open(path, "", {}).value_or(nullptr);
  if (rows == nullptr) return;
  const std::size_t bytes = rows->most_sample_bytes();
  if (bytes > size) std::abort();
  std::vector<std::byte> row(bytes);
  StageTimes times;
  if (!rows->maker(rows)->make(rows->size() - 1, 0, row, times)) std::abort();
}

void read_documents(const std::string& path, const TokenStream& stream) {
  const auto documents = Documents::listed_in(stream, path);
  if (!documents) return;
  for (std::int64_t i = 0; i < documents->size(); ++i) {
    const TokenSpan span = documents->at(i);
    if (span.begin < 0 || span.tokens < 1 || span.begin > stream.tokens() - span.tokens)
      std::abort();
  }
}

TokenStream made_up_stream() {
  static const std::vector<std::uint8_t> kTokens(2000, 1);
  static const int file = ::memfd_create("tokens", MFD_CLOEXEC);
  return TokenStream::open({path_of(file, kTokens.data(), kTokens.size())},
                           {.type = ElementType::kUint16})
      .value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("npy", MFD_CLOEXEC);
  static const TokenStream stream = made_up_stream();
  if (size < 1) return 0;
  const std::string path = path_of(file, data + 1, size - 1);
  read_whole(path, {}, size - 1);
  read_whole(path, {.type = static_cast<ElementType>(data[0] % kElementTypes.size())}, size - 1);
  read_rows(path, size - 1);
  read_documents(path, stream);
  return 0;
}
