#include "trackers/tensorboard/event.h"

#include <bit>

#include "trackers/proto_reader.h"

namespace flatout::trackers::tensorboard {
namespace {

constexpr std::size_t kMostBuckets = 4096;
constexpr std::size_t kMostTexts = 256;

// DataType of a tensor.
enum : std::int64_t { kFloat = 1, kDouble = 2, kInt32 = 3, kString = 7, kInt64 = 9, kBool = 10 };

struct Tensor {
  std::int64_t type = 0;
  std::string_view content;
  std::optional<double> number;
  std::vector<std::string_view> texts;
  bool several = false;  // not a single number
};

template <typename Raw>
Raw raw_at(std::string_view bytes) {
  Raw value{};
  for (std::size_t i = sizeof(Raw); i-- > 0;) {
    value = static_cast<Raw>(value << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return value;
}

std::optional<double> number_in(std::int64_t type, std::string_view content) {
  if (type == kFloat && content.size() == 4) {
    return std::bit_cast<float>(raw_at<std::uint32_t>(content));
  }
  if (type == kDouble && content.size() == 8) {
    return std::bit_cast<double>(raw_at<std::uint64_t>(content));
  }
  if (type == kInt32 && content.size() == 4) {
    return static_cast<std::int32_t>(raw_at<std::uint32_t>(content));
  }
  if (type == kInt64 && content.size() == 8) {
    return static_cast<double>(static_cast<std::int64_t>(raw_at<std::uint64_t>(content)));
  }
  return std::nullopt;
}

// float_val, double_val, int_val, int64_val, bool_val: packed or not, one number.
void take_number(const ProtoField& field, Tensor& tensor) {
  std::optional<double> value;
  if (field.kind == ProtoField::Kind::kVarint) {
    value = static_cast<double>(*field.as_int());
  } else if (field.kind != ProtoField::Kind::kBytes) {
    value = field.as_double();
  } else if (field.number == 5) {
    value = number_in(kFloat, field.bytes);
  } else if (field.number == 6) {
    value = number_in(kDouble, field.bytes);
  } else {
    std::uint64_t bits = 0;
    int shift = 0;
    for (const char byte : field.bytes) {
      bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (shift >= 64) break;
      if ((byte & 0x80) == 0) break;
    }
    if (!field.bytes.empty()) value = static_cast<double>(static_cast<std::int64_t>(bits));
  }
  if (tensor.number || !value) tensor.several = true;
  tensor.number = value;
}

Tensor tensor_of(std::string_view message) {
  Tensor tensor;
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        tensor.type = field->as_int().value_or(0);
        break;
      case 4:
        tensor.content = field->text();
        break;
      case 5:
      case 6:
      case 7:
      case 10:
      case 11:
        take_number(*field, tensor);
        break;
      case 8:
        if (tensor.texts.size() < kMostTexts) tensor.texts.push_back(field->text());
        break;
      default:
        break;
    }
  }
  if (!tensor.number && !tensor.content.empty()) {
    tensor.number = number_in(tensor.type, tensor.content);
  }
  if (tensor.several) tensor.number.reset();
  if (tensor.type != kString) tensor.texts.clear();
  return tensor;
}

Histogram histogram_of(std::string_view message) {
  Histogram histogram;
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 6) append_doubles(*field, kMostBuckets, histogram.limits);
    if (field->number == 7) append_doubles(*field, kMostBuckets, histogram.counts);
  }
  return histogram;
}

std::string_view bytes_in(std::string_view message, std::uint32_t number) {
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == number) return field->text();
  }
  return {};
}

void take_metadata(std::string_view message, SummaryValue& value) {
  const std::string_view data = bytes_in(message, 1);
  value.plugin = bytes_in(data, 1);
  value.plugin_data = bytes_in(data, 2);
}

SummaryValue summary_value_of(std::string_view message) {
  SummaryValue value;
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        value.tag = field->text();
        break;
      case 2:
        value.number = field->as_double();
        break;
      case 4:
        value.image = bytes_in(field->text(), 4);
        break;
      case 5:
        value.histogram = histogram_of(field->text());
        break;
      case 8: {
        Tensor tensor = tensor_of(field->text());
        value.number = tensor.number;
        value.texts = std::move(tensor.texts);
        break;
      }
      case 9:
        take_metadata(field->text(), value);
        break;
      default:
        break;
    }
  }
  // A picture as a tensor is width, height, then the encoded ones.
  if (value.plugin == "images" && value.texts.size() >= 3) {
    value.image = value.texts[2];
    value.texts.clear();
  }
  return value;
}

}  // namespace

std::optional<Event> event_of(std::string_view record) {
  Event event;
  ProtoReader reader(record);
  while (const auto field = reader.next()) {
    if (field->number == 1) event.wall_s = field->as_double().value_or(0);
    if (field->number == 2) event.step = field->as_int().value_or(0);
    if (field->number == 3) event.version = field->text();
    if (field->number != 5) continue;
    ProtoReader summary(field->text());
    while (const auto value = summary.next()) {
      if (value->number == 1) event.values.push_back(summary_value_of(value->text()));
    }
  }
  return reader.whole() ? std::optional(std::move(event)) : std::nullopt;
}

std::optional<Json> hparams_of(std::string_view plugin_data) {
  const std::string_view start = bytes_in(plugin_data, 3);
  if (start.empty()) return std::nullopt;
  Json out = Json::object();
  ProtoReader reader(start);
  while (const auto entry = reader.next()) {
    if (entry->number != 1) continue;
    const std::string key(bytes_in(entry->text(), 1));
    ProtoReader value(bytes_in(entry->text(), 2));
    const auto field = value.next();
    if (!field) continue;
    if (field->number == 2) out[key] = field->as_double().value_or(0);
    if (field->number == 3) out[key] = std::string(field->text());
    if (field->number == 4) out[key] = field->as_int().value_or(0) != 0;
  }
  return out;
}

}  // namespace flatout::trackers::tensorboard
