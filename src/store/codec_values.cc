// Named values: each name once, then times, names and steps as columns and the
// values as they are, eight bytes each; then their tracked runs, where there are any.
#include <bit>
#include <map>
#include <utility>

#include "store/codec.h"
#include "store/varint.h"

namespace flatout::store {
namespace {

constexpr std::size_t kMaxValueNameBytes = 512;
constexpr std::size_t kLeastValueBytes = 11;  // time, name, step, value

std::unexpected<base::Error> corrupt() {
  return base::fail(base::ErrorCode::kCorrupt, "values record does not fit its form");
}

void put_double(std::string& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int byte = 0; byte < 8; ++byte) out.push_back(static_cast<char>(bits >> (8 * byte) & 0xff));
}

double get_double(ByteReader& in) {
  std::uint64_t bits = 0;
  for (int byte = 0; byte < 8; ++byte) bits |= std::uint64_t{in.byte()} << (8 * byte);
  return std::bit_cast<double>(bits);
}

// The names in order of their first use.
std::string put_names(std::span<const run::NamedValue> values,
                      std::map<std::string_view, std::size_t>& index) {
  std::string names;
  for (const auto& value : values) {
    const auto name = std::string_view(value.name).substr(0, kMaxValueNameBytes);
    if (!index.try_emplace(name, index.size()).second) continue;
    put_varint(names, name.size());
    names.append(name);
  }
  std::string out;
  put_varint(out, index.size());
  return out + names;
}

// The tracked run hardly changes from one value to the next: how many in a row have the same. Where
// all are of 0, nothing is written, as before there were any.
std::string put_tracks(std::span<const run::NamedValue> values) {
  std::string out;
  bool any = false;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t past = i;
    while (past < values.size() && values[past].track == values[i].track) ++past;
    put_varint(out, past - i);
    put_varint(out, values[i].track);
    any = any || values[i].track != 0;
    i = past;
  }
  return any ? out : std::string();
}

bool get_tracks(ByteReader& in, std::span<run::NamedValue> values) {
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t count = in.varint();
    const std::uint32_t track = in.u32();
    if (!in.ok() || count == 0 || count > values.size() - i) return false;
    for (std::uint64_t k = 0; k < count; ++k) values[i++].track = track;
  }
  return true;
}

}  // namespace

std::string encode_values(pid_t pid, std::span<const run::NamedValue> values) {
  std::string out;
  put_signed(out, pid);
  std::map<std::string_view, std::size_t> index;
  out += put_names(values, index);
  put_varint(out, values.size());
  std::string names, steps, numbers;
  std::int64_t last_t_ns = 0, last_step = 0;
  for (const auto& value : values) {
    put_signed(out, difference(value.t_ns, last_t_ns));
    put_varint(names, index.at(std::string_view(value.name).substr(0, kMaxValueNameBytes)));
    put_signed(steps, difference(value.step, last_step));
    put_double(numbers, value.value);
    last_t_ns = value.t_ns;
    last_step = value.step;
  }
  return out + names + steps + numbers + put_tracks(values);
}

base::Result<OfProcess<std::vector<run::NamedValue>>> decode_values(std::string_view payload) {
  ByteReader in(payload);
  const std::int64_t pid = in.signed_varint();
  if (!std::in_range<pid_t>(pid) || pid < 0) return corrupt();
  OfProcess<std::vector<run::NamedValue>> out{.pid = static_cast<pid_t>(pid), .value = {}};
  std::vector<std::string> names(in.count(1));
  for (auto& name : names)
    name = in.bytes(static_cast<std::size_t>(in.at_most(kMaxValueNameBytes)));
  out.value.resize(in.count(kLeastValueBytes));
  std::int64_t t_ns = 0;
  for (auto& value : out.value) value.t_ns = t_ns = sum(t_ns, in.signed_varint());
  for (auto& value : out.value) {
    const auto name = static_cast<std::size_t>(in.varint());
    if (!in.ok() || name >= names.size()) return corrupt();
    value.name = names[name];
  }
  std::int64_t step = 0;
  for (auto& value : out.value) value.step = step = sum(step, in.signed_varint());
  for (auto& value : out.value) value.value = get_double(in);
  if (in.ok() && !in.at_end() && !get_tracks(in, out.value)) return corrupt();
  if (!in.ok() || !in.at_end()) return corrupt();
  return out;
}

}  // namespace flatout::store
