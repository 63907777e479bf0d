// Where this process keeps what its program writes: files of records in a run's folder, appended to
// and never changed (docs/formats/output.md). With the GIL; one in a process.
//
// A record is "TIME\tTAG\tTEXT" and an end: '\n' where the line is finished, '\r' where it went on.
// Each call is one system call, so that a killed process leaves all but the last piece.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace flatout::inject {

class OutputFile {
 public:
  // `folder` is made by the first record. False: it is too long for a path.
  bool open(const char* folder, std::uint64_t segment_bytes);
  // In a process that fork() made: it has files of its own.
  void forget();

  // Begins a record, and closes the one that is open as one that went on. `end`: '\n', '\r', or
  // '\0' where more follows by append(). Its time is at least one nanosecond after the one before.
  // False: it is not kept, and counted. `owner` alone may go on with it.
  bool begin(std::int64_t t_ns, char tag, const char* text, std::size_t bytes, char end,
             const void* owner);
  // Goes on with the open record. False: it has been closed, is another's, or cannot be written.
  bool append(const void* owner, const char* text, std::size_t bytes, char end);

  std::uint64_t lost_lines() const { return all_lost_lines_; }

  static constexpr int kSegments = 8;  // the first and the last seven are kept

 private:
  struct Counted {
    std::uint64_t lines = 0, bytes = 0;
  };

  bool is_ours();
  bool ready(std::size_t bytes);
  bool next_segment();
  bool reach_folder();
  void drop_old_segment();
  void lose(std::uint64_t bytes);
  bool write_all(const void* header, std::size_t header_bytes, const char* text, std::size_t bytes,
                 char end);
  void say_left_out();

  char folder_[3072] = "";
  std::uint64_t segment_bytes_ = 0;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  int first_ = -1, current_ = -1;  // numbers of segments
  std::uint64_t size_ = 0;
  Counted in_[kSegments] = {};  // by number modulo
  Counted left_out_ = {};       // in all
  Counted said_ = {};
  std::uint64_t all_lost_lines_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t retry_ns_ = 0;  // after a failure
  bool tail_open_ = false;
  const void* owner_ = nullptr;  // of the open record
};

}  // namespace flatout::inject
