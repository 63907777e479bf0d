#include "store/sealed/point_codec.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "store/varint.h"

namespace flatout::store {
namespace {

constexpr std::array<double, 7> kPowersOfTen = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// ---- decimal

bool as_decimal(std::span<const double> values, double power, std::vector<std::int64_t>& out) {
  out.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scaled = std::nearbyint(values[i] * power);
    if (!(scaled >= -kExactInteger && scaled <= kExactInteger)) return false;
    out[i] = static_cast<std::int64_t>(scaled);
    if (!same_bits(static_cast<double>(out[i]) / power, values[i])) return false;
  }
  return true;
}

bool encode_decimal(std::span<const double> values, std::string& out) {
  std::vector<std::int64_t> whole;
  std::size_t exponent = 0;
  while (exponent < kPowersOfTen.size() && !as_decimal(values, kPowersOfTen[exponent], whole)) {
    ++exponent;
  }
  if (exponent == kPowersOfTen.size()) return false;
  std::int64_t unit = 0;
  for (const auto value : whole) unit = unit == 1 ? 1 : std::gcd(unit, value);
  if (unit == 0) unit = 1;  // all are 0
  out.push_back(static_cast<char>(Coding::kDecimal));
  out.push_back(static_cast<char>(exponent));
  put_varint(out, static_cast<std::uint64_t>(unit));
  std::int64_t last = 0;
  for (const auto value : whole) {
    put_signed(out, value / unit - last);
    last = value / unit;
  }
  return true;
}

bool decode_decimal(ByteReader& in, std::vector<double>& out) {
  const std::size_t exponent = in.byte();
  const std::uint64_t unit = in.varint();
  if (!in.ok() || exponent >= kPowersOfTen.size()) return false;
  std::int64_t last = 0;
  for (double& value : out) {
    last = sum(last, in.signed_varint());
    const auto whole = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) * unit);
    value = static_cast<double>(whole) / kPowersOfTen[exponent];
  }
  return in.ok();
}

// ---- rate

// The ways in which collect/ turns a counter's growth into a value; the bits
// must come out the same, so they are written exactly as there.
struct RateForm {
  double divisor;
  bool reciprocal;
  double value(double growth, double seconds) const {
    if (reciprocal) return growth * (1 / (divisor * seconds));
    return growth / seconds / divisor;
  }
};
constexpr std::array<RateForm, 6> kRateForms = {
    {{1, false}, {100, false}, {100, true}, {1e9, false}, {1e6, false}, {1e3, false}}};

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(difference(to_ns, from_ns)) / 1e9;
}

// Absent when no whole growth gives this value.
std::optional<std::int64_t> growth_of(const RateForm& form, double value, double seconds) {
  const double growth = std::nearbyint(value * seconds * form.divisor);
  if (!(growth >= 0 && growth <= kExactInteger)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(growth);  // which -0.0 does not survive
  if (!same_bits(form.value(static_cast<double>(whole), seconds), value)) return std::nullopt;
  return whole;
}

// A chunk is worth this coding when at most one value in eight is none of its kind.
constexpr std::size_t kExceptionShare = 8;

bool encode_rate(const RateForm& form, std::size_t number, std::span<const double> values,
                 std::span<const std::int64_t> times, std::optional<std::int64_t> before_ns,
                 std::string& out) {
  std::string growths;
  std::string exceptions;
  std::size_t count = 0;
  std::size_t last_exception = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<std::int64_t> growth;
    if (i > 0 || before_ns) {
      growth =
          growth_of(form, values[i], seconds_between(i > 0 ? times[i - 1] : *before_ns, times[i]));
    }
    put_varint(growths, static_cast<std::uint64_t>(growth.value_or(0)));
    if (growth) continue;
    if (++count > 1 + values.size() / kExceptionShare) return false;
    put_varint(exceptions, i - last_exception);
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    exceptions.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    last_exception = i;
  }
  out.push_back(static_cast<char>(Coding::kRate));
  out.push_back(static_cast<char>(number));
  put_signed(out, before_ns ? difference(times[0], *before_ns) : 0);
  put_varint(out, count);
  out += growths;
  out += exceptions;
  return true;
}

bool decode_rate(ByteReader& in, std::span<const std::int64_t> times, std::vector<double>& out) {
  const std::size_t number = in.byte();
  const std::int64_t first_gap = in.signed_varint();
  const std::uint64_t exceptions = in.at_most(out.size());
  if (!in.ok() || number >= kRateForms.size()) return false;
  const RateForm form = kRateForms[number];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto growth = static_cast<double>(in.varint());
    const std::int64_t gap = i > 0 ? difference(times[i], times[i - 1]) : first_gap;
    out[i] = form.value(growth, static_cast<double>(gap) / 1e9);
  }
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < exceptions; ++i) {
    at += static_cast<std::size_t>(in.at_most(out.size()));
    const auto bytes = in.bytes(sizeof(double));
    if (!in.ok() || at >= out.size()) return false;
    std::memcpy(&out[at], bytes.data(), sizeof(double));
  }
  return in.ok();
}

// ---- shuffled

void encode_shuffled(std::span<const double> values, std::string& out) {
  out.push_back(static_cast<char>(Coding::kShuffled));
  const std::size_t start = out.size();
  out.resize(start + values.size() * 8);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    const std::uint64_t changed = bits ^ last;
    last = bits;
    for (std::size_t plane = 0; plane < 8; ++plane) {
      out[start + plane * values.size() + i] = static_cast<char>(changed >> (56 - 8 * plane));
    }
  }
}

bool decode_shuffled(ByteReader& in, std::vector<double>& out) {
  const auto planes = in.bytes(out.size() * 8);
  if (!in.ok()) return false;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t changed = 0;
    for (std::size_t plane = 0; plane < 8; ++plane) {
      changed = changed << 8 | static_cast<std::uint8_t>(planes[plane * out.size() + i]);
    }
    last ^= changed;
    out[i] = std::bit_cast<double>(last);
  }
  return true;
}

bool all_same(std::span<const double> values) {
  for (const double value : values) {
    if (!same_bits(value, values[0])) return false;
  }
  return !values.empty();
}

}  // namespace

void encode_times(std::span<const std::int64_t> times, std::string& out) {
  std::int64_t last = 0;
  std::int64_t last_step = 0;
  for (const auto time : times) {
    const std::int64_t step = difference(time, last);
    put_signed(out, difference(step, last_step));
    last = time;
    last_step = step;
  }
}

bool decode_times(std::string_view bytes, std::size_t count, std::vector<std::int64_t>& out) {
  if (count > kMaxChunkPoints || count > bytes.size()) return false;
  ByteReader in(bytes);
  out.resize(count);
  std::int64_t last = 0;
  std::int64_t step = 0;
  for (auto& time : out) {
    step = sum(step, in.signed_varint());
    time = last = sum(last, step);
  }
  return in.ok() && in.at_end();
}

Coding encode_values(std::span<const double> values, std::span<const std::int64_t> times,
                     std::optional<std::int64_t> before_ns, std::string& out) {
  if (all_same(values)) {
    out.push_back(static_cast<char>(Coding::kConstant));
    const auto bits = std::bit_cast<std::uint64_t>(values[0]);
    out.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    return Coding::kConstant;
  }
  if (encode_decimal(values, out)) return Coding::kDecimal;
  for (std::size_t i = 0; i < kRateForms.size(); ++i) {
    if (encode_rate(kRateForms[i], i, values, times, before_ns, out)) return Coding::kRate;
  }
  encode_shuffled(values, out);
  return Coding::kShuffled;
}

bool decode_values(std::string_view bytes, std::span<const std::int64_t> times,
                   std::vector<double>& out) {
  ByteReader in(bytes);
  out.resize(times.size());
  switch (static_cast<Coding>(in.byte())) {
    case Coding::kConstant: {
      const auto value = in.bytes(sizeof(double));
      if (!in.ok() || out.empty()) return false;
      std::memcpy(out.data(), value.data(), sizeof(double));
      for (auto& one : out) one = out[0];
      return in.at_end();
    }
    case Coding::kDecimal:
      return decode_decimal(in, out) && in.at_end();
    case Coding::kRate:
      return decode_rate(in, times, out) && in.at_end();
    case Coding::kShuffled:
      return decode_shuffled(in, out) && in.at_end();
  }
  return false;
}

}  // namespace flatout::store
