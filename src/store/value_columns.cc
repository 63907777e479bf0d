#include "store/value_columns.h"

#include <cstring>
#include <utility>

#include "store/varint.h"

namespace flatout::store {
namespace {

constexpr std::size_t kMaxColumnNameBytes = 512;
constexpr std::size_t kLeastBytesOfValue = 11;  // time, name, step, value

std::unexpected<base::Error> corrupt_columns() {
  return base::fail(base::ErrorCode::kCorrupt, "values record does not fit its form");
}

// Differences one after the other to what they are differences of.
void read_sums(ByteReader& in, std::vector<std::int64_t>& out) {
  std::int64_t last = 0;
  for (std::int64_t& value : out) value = last = sum(last, in.signed_varint());
}

bool read_names(ByteReader& in, ValueColumns& out) {
  out.names.resize(in.count(1));
  for (auto& name : out.names) {
    name = in.bytes(static_cast<std::size_t>(in.at_most(kMaxColumnNameBytes)));
  }
  return in.ok();
}

bool read_name_numbers(ByteReader& in, ValueColumns& out) {
  for (std::uint32_t& name : out.name) {
    const std::uint64_t number = in.varint();
    if (!in.ok() || number >= out.names.size()) return false;
    name = static_cast<std::uint32_t>(number);
  }
  return true;
}

bool read_tracks(ByteReader& in, ValueColumns& out) {
  out.tracks.resize(out.size());
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t count = in.varint();
    const std::uint32_t track = in.u32();
    if (!in.ok() || count == 0 || count > out.size() - i) return false;
    for (std::uint64_t k = 0; k < count; ++k) out.tracks[i++] = track;
  }
  return true;
}

}  // namespace

base::Result<void> decode_value_columns(std::string_view payload, ValueColumns& out) {
  ByteReader in(payload);
  const std::int64_t pid = in.signed_varint();
  if (!std::in_range<pid_t>(pid) || pid < 0 || !read_names(in, out)) return corrupt_columns();
  out.pid = static_cast<pid_t>(pid);
  const std::size_t count = in.count(kLeastBytesOfValue);
  out.times_ns.resize(count);
  out.steps.resize(count);
  out.name.resize(count);
  out.values.resize(count);
  out.tracks.clear();
  read_sums(in, out.times_ns);
  if (!read_name_numbers(in, out)) return corrupt_columns();
  read_sums(in, out.steps);
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as they are");
  const auto values = in.bytes(count * sizeof(double));
  if (!in.ok()) return corrupt_columns();
  if (count > 0) std::memcpy(out.values.data(), values.data(), values.size());
  if (!in.at_end() && !read_tracks(in, out)) return corrupt_columns();
  if (!in.ok() || !in.at_end()) return corrupt_columns();
  return {};
}

}  // namespace flatout::store
