// Any bytes as named values: columns are what decode_values() gives, or both refuse.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/codec.h"
#include "store/value_columns.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  store::ValueColumns columns;
  const auto done = store::decode_value_columns(bytes, columns);
  const auto values = store::decode_values(bytes);
  if (done.has_value() != values.has_value()) std::abort();
  if (!done) return 0;
  if (columns.pid != values->pid || columns.size() != values->value.size()) std::abort();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const run::NamedValue& one = values->value[i];
    const bool same =
        columns.times_ns[i] == one.t_ns && columns.steps[i] == one.step &&
        columns.names[columns.name[i]] == one.name &&
        (columns.tracks.empty() ? 0 : columns.tracks[i]) == one.track &&
        std::bit_cast<std::uint64_t>(columns.values[i]) == std::bit_cast<std::uint64_t>(one.value);
    if (!same) std::abort();
  }
  return 0;
}
