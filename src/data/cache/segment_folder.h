// The files of a cache on disk: segments, each written by one loader and read by all, and who may
// make or remove one.
//
//   lock                  held for moments, by who makes or removes a segment
//   users                 held shared by every loader that has the folder open
//   segment-000007.data   samples, one after the other
//   segment-000007.index  where each begins, see segment_index.h
//   segment-000007.room   while it is written: as large as both may become, and empty
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace flatout::data::cache {

struct SegmentFacts {
  std::uint32_t number = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t room_bytes = 0;  // that its writer has claimed; 0 once it is done
  std::int64_t used_ns = 0;      // when it last served a loader: the time of its index
};

// A segment of this loader.
struct NewSegment {
  std::uint32_t number = 0;
  base::UniqueFd data;
  base::UniqueFd index;        // with the header in it
  std::uint64_t may_have = 0;  // bytes of both together
};

// One thread at a time. Whoever can write the folder decides what samples are: it is as trusted as
// the set itself.
class SegmentFolder {
 public:
  // Makes the folder where it is missing, for its owner alone, and takes back the room that loaders
  // which were killed had claimed. kIo where it cannot be written.
  static base::Result<SegmentFolder> open(std::filesystem::path path, std::uint64_t budget_bytes);

  // By number. Other entries of the folder are left alone, also those that only have such a name.
  std::vector<SegmentFacts> segments() const;

  // A segment for at least `bytes` and at most `wanted`, or none: the budget is used up, or another
  // loader is making one now. Segments for which `removable` holds make room, those first that
  // were not used for longest, as long as nobody else has the folder open; `removed` is reported.
  base::Result<std::optional<NewSegment>> begin_segment(
      std::uint64_t bytes, std::uint64_t wanted,
      const std::function<bool(std::uint32_t)>& removable,
      const std::function<void(std::uint32_t)>& removed);

  // Its writer is done: what it did not use of its room is free.
  void end_segment(std::uint32_t number) const;

  std::string data_path(std::uint32_t number) const;
  std::string index_path(std::uint32_t number) const;

  // So that it is not among the first to be removed.
  void mark_used(std::uint32_t number) const;

 private:
  SegmentFolder(std::filesystem::path path, std::uint64_t budget_bytes)
      : path_(std::move(path)), budget_bytes_(budget_bytes) {}
  std::string room_path(std::uint32_t number) const;
  bool is_free(std::uint32_t number) const;
  bool alone() const;
  void tidy() const;
  void remove(std::uint32_t number) const;
  std::uint64_t make_room(std::uint64_t bytes, const std::function<bool(std::uint32_t)>& removable,
                          const std::function<void(std::uint32_t)>& removed) const;
  base::Result<NewSegment> make(std::uint32_t number, std::uint64_t may_have) const;

  std::filesystem::path path_;
  std::uint64_t budget_bytes_;
  base::UniqueFd lock_;
  base::UniqueFd users_;
};

}  // namespace flatout::data::cache
