// One stream as a terminal would show it, cut into records: a line that is rewritten many times a
// second (a progress bar) is kept once a second and when it is finished. With the GIL.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/output/output_file.h"

namespace flatout::inject {

class OutputRows {
 public:
  // The tag stands in each record: 'o' or 'e'. The file outlives it.
  void begin(OutputFile& file, char tag);

  // Text in UTF-8, any piece of a line, written at t_ns. A line is kept when it ends: print()
  // writes each of its arguments by itself.
  void write(const char* text, std::size_t bytes, std::int64_t t_ns);
  // The program wants what it has written to be seen: a line that has not ended is kept, too.
  void flush(std::int64_t t_ns);
  // Keeps states of lines whose last record is older than kTickNs: before each write() to any
  // stream.
  void keep_old(std::int64_t t_ns);
  // Keeps all that is not kept yet: at the end of the process.
  void keep_all();
  // In a process that fork() made: what its parent has not finished is the parent's. Also frees all
  // memory, which nothing else does, as the streams live as long as their process.
  void forget();

  static constexpr std::int64_t kTickNs = 1'000'000'000;
  static constexpr std::size_t kMostLineBytes = 16384;  // of a longer one the rest is counted
  static constexpr int kMostRows = 16;                  // from the last one up, that are rewritten

 private:
  struct Row {
    char* text = nullptr;
    std::size_t size = 0, capacity = 0;
    std::size_t in_file = 0;     // of `size`, in the file's open record
    std::uint64_t left_out = 0;  // bytes beyond kMostLineBytes
    std::int64_t changed_ns = 0;
    std::int64_t since_ns = 0;  // when it changed first since its last record
    std::int64_t kept_ns = 0;   // of its last record; 0: none
    bool over = false;          // what comes next is written over it
    bool open = false;          // its record is the file's open one
    bool changed = false;       // since its last record
    bool made_room = false;     // it was blanked by spaces, as by one who then prints a line there
  };

  Row& row() { return rows_[(last_ + above_) % kMostRows]; }
  void move(char what, int count);
  void put(const char* text, std::size_t bytes, std::int64_t t_ns);
  void hold(Row& row, const char* text, std::size_t bytes);
  void keep(Row& row, std::int64_t t_ns, char end);
  void line_feed(std::int64_t t_ns);

  OutputFile* file_ = nullptr;
  char tag_ = 'o';
  Row rows_[kMostRows] = {};
  int last_ = 0;          // place of the terminal's last row; those above it follow
  int above_ = 0;         // the last row, where the cursor is
  bool waiting_ = false;  // some row may have changed since its last record
};

}  // namespace flatout::inject
