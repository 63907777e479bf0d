// The files of a folder of unpacked copies, and who may write one.
//
//   lock                     held for moments, by who claims room
//   4f..-91...unpacked       a copy: hash of the path, hash of the file's size and time
//   4f..-91...part           while it is written, locked by its writer; as large as is claimed
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "data/source/source.h"

namespace flatout::data {

// One thread at a time; others open the folder as well.
class UnpackFolder {
 public:
  // A copy of one file: there, or to be written by its owner alone. Its name is locked as long as
  // it lives; what is not finished is removed with it.
  class Copy {
   public:
    Copy(Copy&&) noexcept = default;
    Copy& operator=(Copy&&) = delete;
    ~Copy();

    bool is_there() const { return !part_; }
    const std::string& path() const { return path_; }

    // `of`: the file that is unpacked, for errors. kTooLarge where the folder's budget is used up,
    // kIo where the disk is.
    base::Result<void> append(std::span<const std::byte> bytes, const std::string& of);
    // It is on the disk, and there, from then on.
    base::Result<void> finish();

   private:
    friend class UnpackFolder;
    Copy(const UnpackFolder& folder, std::string path) : folder_(&folder), path_(std::move(path)) {}
    std::string part_path() const;

    const UnpackFolder* folder_;
    std::string path_;
    base::UniqueFd part_;
    std::uint64_t bytes_ = 0;
    std::uint64_t claimed_ = 0;
  };

  // Makes the folder where it is missing. kIo where it cannot be written.
  static base::Result<UnpackFolder> open(const std::filesystem::path& path,
                                         std::uint64_t budget_bytes);

  // Waits while another loader writes the copy. The folder must live longer than what it gives.
  base::Result<Copy> take(const SampleVersion& version) const;

 private:
  UnpackFolder(std::filesystem::path path, std::uint64_t budget_bytes, base::UniqueFd lock)
      : path_(std::move(path)), budget_bytes_(budget_bytes), lock_(std::move(lock)) {}
  base::Result<std::uint64_t> claim(int part, std::uint64_t has, std::uint64_t needs,
                                    const std::string& of) const;
  std::uint64_t taken() const;
  void remove_outdated(const std::string& kept) const;

  std::filesystem::path path_;
  std::uint64_t budget_bytes_;
  base::UniqueFd lock_;
};

}  // namespace flatout::data
