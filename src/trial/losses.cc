#include "trial/losses.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <regex>

namespace flatout::trial {
namespace {

constexpr std::string_view kHooksName = "flatout.loss";
constexpr std::string_view kUsualNames[] = {"loss", "train_loss", "train/loss"};
constexpr std::string_view kLog = "log:";
constexpr std::size_t kLineBytes = 1000;  // std::regex recurses with the length of a line

std::vector<run::NamedValue> named(const run::Records<run::NamedValue>& values,
                                   std::string_view name) {
  std::vector<run::NamedValue> out;
  std::ranges::copy_if(values, std::back_inserter(out),
                       [&](const run::NamedValue& value) { return value.name == name; });
  return out;
}

// From the first backward to the first whose loss was not seen.
std::vector<double> seen_by_hooks(const std::vector<run::NamedValue>& values) {
  std::map<std::int64_t, double> by_step;
  for (const auto& value : values) by_step[value.step] = value.value;
  std::vector<double> out;
  for (const auto& [step, loss] : by_step) {
    if (step != static_cast<std::int64_t>(out.size())) break;
    out.push_back(loss);
  }
  return out;
}

// A program may log each tenth step only; a gap in its stride is a loss that was dropped.
std::vector<double> of_the_program(const std::vector<run::NamedValue>& values) {
  std::vector<double> out;
  std::optional<std::int64_t> stride;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) {
      const std::int64_t moved = values[i].step - values[i - 1].step;
      if (stride.value_or(moved) != moved) break;
      stride = moved;
    }
    out.push_back(values[i].value);
  }
  return out;
}

}  // namespace

base::Result<LossSource> parse_loss_source(const std::string& text) {
  LossSource out;
  if (text.starts_with(kLog)) {
    out.log_name = text.substr(kLog.size());
    if (!out.log_name.empty()) return out;
    return base::fail(base::ErrorCode::kInvalid,
                      "--loss log: needs the name under which the program logs it: log:train_loss");
  }
  try {
    const std::regex pattern(text);
    if (pattern.mark_count() == 1) {
      out.printed = text;
      return out;
    }
    return base::fail(
        base::ErrorCode::kInvalid,
        "--loss '" + text +
            "' must have one group, which holds the number: "
            "--loss 'loss=([0-9.]+)'; or name what the program logs: --loss log:NAME");
  } catch (const std::regex_error& error) {
    return base::fail(base::ErrorCode::kInvalid,
                      "--loss '" + text + "' is no regular expression: " + error.what());
  }
}

std::vector<double> logged_losses(const run::Records<run::NamedValue>& values,
                                  const LossSource& source, int accumulated) {
  if (!source.log_name.empty()) return of_the_program(named(values, source.log_name));
  std::vector<double> out = seen_by_hooks(named(values, kHooksName));
  if (accumulated > 1) {
    for (double& loss : out) loss *= accumulated;
  }
  for (const auto name : kUsualNames) {
    if (out.empty()) out = of_the_program(named(values, name));
  }
  return out;
}

std::vector<double> printed_losses(std::string_view output, const std::string& pattern) {
  std::vector<double> out;
  try {
    const std::regex expression(pattern);
    while (!output.empty()) {
      const std::size_t end = output.find_first_of("\r\n");
      const std::string line(output.substr(0, std::min(end, kLineBytes)));
      output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
      std::smatch found;
      if (!std::regex_search(line, found, expression)) continue;
      const std::string text = found[1].str();
      double loss = 0;
      const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), loss);
      if (error == std::errc() && last == text.data() + text.size()) out.push_back(loss);
    }
  } catch (const std::regex_error&) {
    // An expression that takes too long on some line: what came before it counts.
  }
  return out;
}

}  // namespace flatout::trial
