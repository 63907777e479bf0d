#include "serve/metrics/exposition.h"

#include "base/terminal_text.h"
#include "serve/json.h"

namespace flatout::serve {
namespace {

// It steers a terminal: of ASCII, or U+0080 to U+009F.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string label_value(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = base::next_character(text, at);
    const std::string_view one = text.substr(at, end - at);
    at = end;
    if (one == "\n") {
      out += "\\n";
    } else if (is_control(one) || (one.size() == 1 && static_cast<unsigned char>(one[0]) >= 0x80)) {
      out += "\xef\xbf\xbd";
    } else {
      if (one == "\\" || one == "\"") out += '\\';
      out += one;
    }
  }
  return out + "\"";
}

}  // namespace

std::string label_text(const Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    out += out.empty() ? "{" : ",";
    out += name;
    out += "=" + label_value(value);
  }
  return out.empty() ? out : out + "}";
}

Exposition exposition_for(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos
             ? Exposition::kOpenMetrics
             : Exposition::kText;
}

std::string_view content_type(Exposition format) {
  return format == Exposition::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string written(const std::vector<MetricFamily>& families, Exposition format) {
  const bool open = format == Exposition::kOpenMetrics;
  std::string out;
  for (const MetricFamily& family : families) {
    if (family.samples.empty()) continue;
    const bool counts = family.kind == MetricFamily::Kind::kCounter;
    const std::string sample = counts ? family.name + "_total" : family.name;
    const std::string& name = open ? family.name : sample;
    out += "# HELP " + name + " " + family.help + "\n";
    out += "# TYPE " + name + (counts ? " counter\n" : " gauge\n");
    if (open && !family.unit.empty()) out += "# UNIT " + name + " " + family.unit + "\n";
    for (const MetricSample& one : family.samples) {
      out += sample + one.labels + " ";
      append_number(out, one.value);
      out += "\n";
    }
  }
  return open ? out + "# EOF\n" : out;
}

}  // namespace flatout::serve
