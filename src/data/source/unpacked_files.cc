#include "data/source/unpacked_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "data/source/compressed_file.h"
#include "data/source/file_part.h"
#include "data/source/unpack_folder.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;

struct Packed {
  base::UniqueFd file;
  Compression how = Compression::kNone;
};

Result<Packed> look_at(const std::string& path) {
  // Not to be held up by a pipe.
  base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts{};
  if (!file || ::fstat(file.get(), &facts) != 0) return fail_file(errno, path);
  if (!S_ISREG(facts.st_mode))
    return base::fail(ErrorCode::kInvalid, path + ": not a regular file");
  const auto how = compression_of(file.get(), path);
  if (!how) return std::unexpected(how.error());
  return Packed{std::move(file), *how};
}

Result<void> decompress(CompressedFile& from, const std::string& path, UnpackFolder::Copy& copy) {
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);
  std::uint64_t bytes = 0;
  for (;;) {
    const auto got = from.read({piece.get(), kPieceBytes});
    if (!got) return std::unexpected(got.error());
    bytes += *got;
    if (bytes > kFreeBytes && (bytes - kFreeBytes) / kMostUnpackRatio > from.taken()) {
      return base::fail(ErrorCode::kTooLarge,
                        path + ": it becomes more than " + std::to_string(kMostUnpackRatio) +
                            " times as large as it is, as no pictures do; unpack it yourself if "
                            "you trust it");
    }
    if (auto done = copy.append({piece.get(), *got}, path); !done) return done;
    if (*got < kPieceBytes) return {};
  }
}

Result<std::string> unpack(const UnpackFolder& folder, const std::string& path, Packed packed) {
  const auto version = version_in(path);
  if (!version) return base::fail(ErrorCode::kIo, path + ": cannot be looked at");
  auto copy = folder.take(*version);
  if (!copy) return std::unexpected(copy.error());
  if (copy->is_there()) return copy->path();
  auto from = CompressedFile::open(std::move(packed.file), packed.how, path);
  if (!from) return std::unexpected(from.error());
  if (auto done = decompress(*from, path, *copy); !done) return std::unexpected(done.error());
  const auto now = version_in(path);
  if (!now || now->file_bytes != version->file_bytes || now->modified_ns != version->modified_ns)
    return base::fail(ErrorCode::kIo, path + ": was written while it was unpacked; try again");
  if (auto done = copy->finish(); !done) return std::unexpected(done.error());
  return copy->path();
}

// The folder is opened when the first compressed file is met.
class Unpacking {
 public:
  Unpacking(const std::vector<std::string>& paths, const UnpackOptions& options)
      : paths_(paths), options_(options), out_(paths.size()) {}

  // Any number of threads at once.
  void work() {
    while (!failed_) {
      const std::size_t at = next_++;
      if (at >= paths_.size()) return;
      out_[at] = take(paths_[at]);
      if (!out_[at]->has_value()) failed_ = true;
    }
  }

  Result<std::vector<std::string>> take_all() {
    std::vector<std::string> all;
    for (auto& one : out_) {
      if (one && !one->has_value()) return std::unexpected(one->error());
      if (one && !failed_) all.push_back(std::move(**one));
    }
    return all;
  }

 private:
  Result<std::string> take(const std::string& path) const {
    try {
      auto packed = look_at(path);
      if (!packed) return std::unexpected(packed.error());
      if (packed->how == Compression::kNone) return path;
      if (options_.folder.empty()) {
        return base::fail(
            ErrorCode::kInvalid,
            path +
                ": compressed; say where it may be unpacked to, once (\"unpack\": "
                "a folder and how many MiB it may have; of flatout pack --unpack), or unpack "
                "it yourself");
      }
      const auto folder = UnpackFolder::open(options_.folder, options_.disk_bytes);
      if (!folder) return std::unexpected(folder.error());
      return unpack(*folder, path, std::move(*packed));
    } catch (const std::exception& error) {  // out of memory, on a thread of its own
      return base::fail(ErrorCode::kUnavailable, path + ": " + error.what());
    }
  }

  const std::vector<std::string>& paths_;
  const UnpackOptions& options_;
  std::vector<std::optional<Result<std::string>>> out_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Result<std::vector<std::string>> unpacked_files(const std::vector<std::string>& paths,
                                                const UnpackOptions& options) {
  Unpacking all(paths, options);
  {
    std::vector<std::jthread> threads;
    bool more = true;  // until the system refuses one; those that are there then do it all
    for (int i = 1; more && i < options.threads && std::cmp_less(i, paths.size()); ++i) {
      try {
        threads.emplace_back([&] { all.work(); });
      } catch (const std::system_error&) {
        more = false;
      }
    }
    all.work();
  }
  return all.take_all();
}

}  // namespace flatout::data
