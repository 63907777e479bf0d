#include "serve/series/columns.h"

#include "base/little_endian.h"
#include "serve/json.h"

namespace flatout::serve {
namespace {

constexpr std::uint32_t kRaw = 1;
constexpr std::uint32_t kWithMeans = 2;

void append_array(std::string& out, const char* name, const std::vector<double>& values) {
  out += ",\"";
  out += name;
  out += "\":[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ",";
    append_number(out, values[i]);
  }
  out += "]";
}

void append_column(std::string& out, const std::vector<double>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

}  // namespace

std::string to_json(std::span<const Curve> curves, Axis axis) {
  std::string out = R"({"schema":"flatout.series/1","x":")";
  out += axis == Axis::kTime ? "time" : "step";
  out += R"(","series":[)";
  for (const Curve& curve : curves) {
    if (&curve != curves.data()) out += ",";
    out += "{\"key\":" + dumped(curve.key);
    append_array(out, "x", curve.x);
    append_array(out, "min", curve.min);
    append_array(out, "max", curve.max);
    append_array(out, "mean", curve.mean);
    append_array(out, "last", curve.last);
    out += curve.raw ? ",\"raw\":true}" : ",\"raw\":false}";
  }
  return out + "]}\n";
}

std::string to_columns(std::span<const Curve> curves) {
  std::string out("FLCOLS1\0", 8);
  base::append(out, static_cast<std::uint32_t>(curves.size()));
  for (const Curve& curve : curves) {
    base::append(out, static_cast<std::uint32_t>(curve.key.size()));
    out += curve.key;
    out.append((8 - curve.key.size() % 8) % 8, '\0');
    base::append(out, static_cast<std::uint32_t>(curve.x.size()));
    base::append(out, curve.raw ? kRaw : kWithMeans);
    append_column(out, curve.x);
    if (!curve.raw) {
      append_column(out, curve.min);
      append_column(out, curve.max);
      append_column(out, curve.mean);
    }
    append_column(out, curve.last);
  }
  return out;
}

}  // namespace flatout::serve
