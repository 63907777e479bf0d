// How a knob is set without flatout: the declared lines, with the value put in.
#include <optional>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

constexpr std::string_view kBraces = "{}";

std::string filled(std::string_view text, std::string_view value) {
  std::string out;
  for (;;) {
    const std::size_t hole = text.find(kBraces);
    out.append(text.substr(0, hole));
    if (hole == std::string_view::npos) return out;
    out.append(value);
    text.remove_prefix(hole + kBraces.size());
  }
}

// What stands for the braces of `wanted` in `value`, or all of it where `wanted` has none;
// absent where it is another value.
std::optional<std::string> matched(std::string_view wanted, const std::string& value) {
  if (wanted.empty() || wanted == value) return run::python_literal(value);
  const std::size_t hole = wanted.find(kBraces);
  if (hole == std::string_view::npos) return std::nullopt;
  const auto before = wanted.substr(0, hole);
  const auto after = wanted.substr(hole + kBraces.size());
  if (value.size() <= before.size() + after.size()) return std::nullopt;
  if (!value.starts_with(before) || !value.ends_with(after)) return std::nullopt;
  return value.substr(hole, value.size() - before.size() - after.size());
}

}  // namespace

ByHand written_by_hand(const run::KnobFacts& facts, const std::string& value) {
  for (const run::KnobByHand& way : facts.by_hand) {
    const auto text = matched(way.value, value);
    if (!text) continue;
    return {.script = filled(way.script, *text),
            .hf = filled(way.hf, *text),
            .lightning = filled(way.lightning, *text)};
  }
  return {};
}

}  // namespace flatout::apply
