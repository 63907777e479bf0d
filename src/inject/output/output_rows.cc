#include "inject/output/output_rows.h"

#include <cstdlib>
#include <cstring>

namespace flatout::inject {
namespace {

constexpr std::size_t kRoomForCount = 24;  // behind a text, for how much of it is left out

bool is_blank(const char* text, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (text[i] != ' ') return false;
  }
  return true;
}

// An escape sequence that moves the cursor up or down, or erases. Colours belong to the text.
struct Steering {
  std::size_t bytes = 0;  // 0: there is none
  char what = '\0';
  int count = 0;
};

Steering steering_at(const char* text, std::size_t bytes) {
  if (bytes < 3 || text[0] != '\x1b' || text[1] != '[') return {};
  Steering out{2, '\0', 0};
  while (out.bytes < bytes && text[out.bytes] >= '0' && text[out.bytes] <= '9' &&
         out.count < 1000) {
    out.count = out.count * 10 + (text[out.bytes++] - '0');
  }
  if (out.bytes == bytes || std::strchr("ABKJ", text[out.bytes]) == nullptr ||
      text[out.bytes] == '\0') {
    return {};
  }
  out.what = text[out.bytes++];
  return out;
}

// Up to what means something else than text.
std::size_t text_run(const char* text, std::size_t bytes) {
  std::size_t at = 0;
  for (; at < bytes && text[at] != '\n' && text[at] != '\r'; ++at) {
    if (text[at] == '\x1b' && steering_at(text + at, bytes - at).bytes != 0) break;
  }
  return at;
}

// "\0" and how many bytes of a text are left out, behind it. Returns the length of both.
std::size_t with_left_out(char* text, std::size_t size, std::uint64_t left_out) {
  if (left_out == 0) return size;
  char digits[20];
  int count = 0;
  for (; left_out != 0; left_out /= 10) digits[count++] = static_cast<char>('0' + left_out % 10);
  text[size++] = '\0';
  while (count > 0) text[size++] = digits[--count];
  return size;
}

}  // namespace

void OutputRows::begin(OutputFile& file, char tag) {
  file_ = &file;
  tag_ = tag;
}

void OutputRows::write(const char* text, std::size_t bytes, std::int64_t t_ns) {
  std::size_t at = 0;
  while (at < bytes) {
    const char* here = text + at;
    if (*here == '\n') {
      line_feed(t_ns);
      ++at;
    } else if (*here == '\r') {
      row().over = true;
      ++at;
    } else if (const Steering found = steering_at(here, bytes - at); found.bytes != 0) {
      move(found.what, found.count);
      at += found.bytes;
    } else {
      const std::size_t run = text_run(here, bytes - at);
      put(here, run, t_ns);
      at += run;
    }
  }
}

void OutputRows::move(char what, int count) {
  if (what == 'J') return;
  if (what == 'K') {  // the rest of the line, or all of it
    if (count != 2 && !row().over) return;
    row().over = false;
    row().size = row().in_file = 0;
    row().left_out = 0;
    row().open = row().changed = row().made_room = false;
    return;
  }
  const int by = count == 0 ? 1 : count;
  above_ += what == 'A' ? by : -by;
  above_ = above_ < 0 ? 0 : above_ >= kMostRows ? kMostRows - 1 : above_;
  row().over = true;
}

// As much as a line may have; what is missing is counted.
void OutputRows::hold(Row& row, const char* text, std::size_t bytes) {
  const std::size_t room = kMostLineBytes - row.size;
  std::size_t taken = bytes < room ? bytes : room;
  if (row.left_out != 0) taken = 0;
  while (taken < bytes && taken > 0 && (text[taken] & 0xC0) == 0x80) --taken;  // no half character
  const std::size_t wanted = row.size + taken + kRoomForCount;
  if (wanted > row.capacity) {
    const std::size_t capacity = wanted * 2 > 256 ? wanted * 2 : 256;
    auto* larger = static_cast<char*>(std::realloc(row.text, capacity));
    if (larger == nullptr) {
      row.left_out += row.text == nullptr ? 0 : bytes;
      return;
    }
    row.text = larger;
    row.capacity = capacity;
  }
  for (std::size_t i = 0; i < taken; ++i) {
    row.text[row.size + i] = text[i] == '\0' ? ' ' : text[i];
  }
  row.size += taken;
  row.left_out += bytes - taken;
}

void OutputRows::put(const char* text, std::size_t bytes, std::int64_t t_ns) {
  Row& row = this->row();
  if (row.over) {
    row.made_room = row.size > 0 && is_blank(row.text, row.size);
    row.size = row.in_file = 0;
    row.left_out = 0;
    row.open = row.over = false;
  }
  hold(row, text, bytes);
  if (!row.changed) row.since_ns = t_ns;
  row.changed = true;
  row.changed_ns = t_ns;
  waiting_ = true;
}

void OutputRows::flush(std::int64_t t_ns) {
  Row& row = this->row();
  if (!row.changed) return;
  if (row.open) {
    row.open = file_->append(this, row.text + row.in_file, row.size - row.in_file, '\0');
    row.in_file = row.size;
    row.changed = !row.open || row.left_out != 0;
  } else if (row.kept_ns == 0 || t_ns - row.kept_ns >= kTickNs) {
    keep(row, row.changed_ns, above_ == 0 ? '\0' : '\r');
  }
}

// A record of its state. One that nothing can be seen of is none.
void OutputRows::keep(Row& row, std::int64_t t_ns, char end) {
  row.changed = false;
  if (row.text == nullptr || is_blank(row.text, row.size)) return;
  const std::size_t bytes =
      end == '\0' ? row.size : with_left_out(row.text, row.size, row.left_out);
  const bool kept = file_->begin(t_ns, tag_, row.text, bytes, end, this);
  row.kept_ns = t_ns;
  row.in_file = row.size;
  row.open = kept && end == '\0';
}

void OutputRows::keep_old(std::int64_t t_ns) {
  if (!waiting_) return;
  waiting_ = false;
  for (Row& row : rows_) {
    if (!row.changed) continue;
    if (t_ns - (row.kept_ns == 0 ? row.since_ns : row.kept_ns) >= kTickNs) {
      keep(row, row.changed_ns, '\r');
    } else {
      waiting_ = true;
    }
  }
}

void OutputRows::line_feed(std::int64_t t_ns) {
  Row& row = this->row();
  if (above_ > 0) {  // the cursor goes down to a line that is there
    if (row.made_room && row.size > 0) keep(row, t_ns, '\n');
    row.made_room = false;
    --above_;
    this->row().over = true;
    return;
  }
  bool done = false;
  if (row.open) {
    const std::size_t bytes = with_left_out(row.text, row.size, row.left_out);
    done = file_->append(this, row.text + row.in_file, bytes - row.in_file, '\n');
  }
  if (!done) {
    const std::size_t bytes =
        row.text == nullptr ? 0 : with_left_out(row.text, row.size, row.left_out);
    file_->begin(t_ns, tag_, row.text == nullptr ? "" : row.text, bytes, '\n', nullptr);
  }
  row.open = row.changed = row.over = row.made_room = false;
  row.kept_ns = t_ns;
  last_ = (last_ + kMostRows - 1) % kMostRows;
  Row& next = this->row();
  next.size = next.in_file = 0;
  next.left_out = 0;
  next.kept_ns = 0;
  next.open = next.changed = next.over = next.made_room = false;
}

void OutputRows::keep_all() {
  for (Row& row : rows_) {
    if (row.changed) keep(row, row.changed_ns, '\r');
  }
  waiting_ = false;
}

void OutputRows::forget() {
  for (Row& row : rows_) {
    std::free(row.text);
    row = {};
  }
  above_ = 0;
  waiting_ = false;
}

}  // namespace flatout::inject
