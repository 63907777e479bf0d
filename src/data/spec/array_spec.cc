#include "data/spec/array_spec.h"

#include <optional>
#include <utility>

namespace flatout::data::spec {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::int64_t kMostHeaderBytes = std::int64_t{1} << 40;

// The type that `key` names; absent where it is.
std::optional<ElementType> read_type(JsonObject& json, const char* key) {
  const std::string name = json.text(key, "");
  const auto type = element_type_named(name);
  if (!name.empty() && !type) {
    std::string all;
    for (const ElementTypeFacts& facts : kElementTypes)
      all += (all.empty() ? "" : ", ") + std::string(facts.name);
    json.fail(key, "is \"" + name + "\", which is none of " + all);
  }
  return type;
}

ElementType read_output(JsonObject& json) {
  return json.word<ElementType>("out",
                                {{"int64", ElementType::kInt64}, {"int32", ElementType::kInt32}});
}

std::int64_t read_length(JsonObject& json) {
  const std::int64_t length = json.whole("length", 1, kMostWindowTokens, 0);
  if (length == 0) json.fail("\"length\" is missing");
  return length;
}

std::int64_t read_token(JsonObject& json, const char* key, std::int64_t otherwise) {
  return json.whole(key, INT32_MIN, INT32_MAX, otherwise);
}

Result<TokenWindowOptions> read_window(const Json& value, ElementType out) {
  JsonObject json(value, "tokens: window");
  const std::int64_t length = read_length(json);
  const TokenWindowOptions options{.length = length,
                                   .stride = json.whole("stride", 1, INT64_MAX / 4, length),
                                   .joined = json.flag("joined", false),
                                   .out = out};
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return options;
}

Result<DocumentPackOptions> read_pack(const Json& value, ElementType out) {
  JsonObject json(value, "tokens: pack");
  const DocumentPackOptions options{
      .length = read_length(json),
      .method = json.word<PackMethod>(
          "method", {{"first_fit", PackMethod::kFirstFit}, {"concat", PackMethod::kConcat}}),
      .pad = read_token(json, "pad", 0),
      .ignore = read_token(json, "ignore", -100),
      .out = out};
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return options;
}

Result<PadOptions> read_padding(const Json& value, ElementType out) {
  JsonObject json(value, "tokens: pad_to_bucket");
  PadOptions options{.lengths = {}, .pad = read_token(json, "pad", 0), .out = out};
  const bool listed = json.has("lengths") && json.at("lengths").is_array() &&
                      json.at("lengths").size() <= kMostBuckets;
  for (const Json& one : listed ? json.at("lengths") : Json::array()) {
    if (one.is_number_integer() && one >= 1 && one <= kMostWindowTokens)
      options.lengths.push_back(one.get<std::int64_t>());
  }
  if (!listed || options.lengths.size() != json.at("lengths").size())
    json.fail("lengths",
              "is no list of whole numbers from 1 to " + std::to_string(kMostWindowTokens));
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return options;
}

// One of the three ways to make samples of a stream.
Result<void> read_cut(JsonObject& json, TokenSpec& out) {
  const ElementType to = read_output(json);
  const bool window = json.has("window");
  const bool pack = json.has("pack");
  const bool pad = json.has("pad_to_bucket");
  if (window + pack + pad != 1) {
    json.fail("one of \"window\", \"pack\" and \"pad_to_bucket\" says how to make samples");
    return json.done();
  }
  if (!window && out.end_of_text.has_value() == !out.index.empty()) {
    json.fail("where documents end is said by one of \"end_of_text\" and \"index\"");
    return json.done();
  }
  const auto take = [&](auto options) -> Result<void> {
    if (!options) return std::unexpected(options.error());
    out.cut = std::move(*options);
    return {};
  };
  if (pack) return take(read_pack(json.at("pack"), to));
  if (pad) return take(read_padding(json.at("pad_to_bucket"), to));
  return take(read_window(json.at("window"), to));
}

Result<ArraySpec> read_tokens(const Json& value) {
  JsonObject json(value, "tokens");
  TokenSpec out;
  out.files = json.texts("files", kMostTokenFiles);
  if (out.files.empty()) json.fail("\"files\" is missing, the list of them");
  out.file.type = read_type(json, "type");
  out.file.header_bytes =
      static_cast<std::uint64_t>(json.whole("header_bytes", 0, kMostHeaderBytes, 0));
  if (json.has("end_of_text")) out.end_of_text = json.whole("end_of_text", INT64_MIN, INT64_MAX, 0);
  out.index = json.text("index", "");
  if (auto done = read_cut(json, out); !done) return std::unexpected(done.error());
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return out;
}

Result<ArraySpec> read_rows(const Json& value) {
  JsonObject json(value, "arrays");
  ArrayRowSpec out;
  out.data = json.text("data", "");
  if (out.data.empty()) json.fail("\"data\" is missing, an .npy file");
  out.labels = json.text("labels", "");
  out.rows.out = read_type(json, "out");
  out.rows.scale = static_cast<float>(json.number("scale", 1));
  out.rows.offset = static_cast<float>(json.number("offset", 0));
  if (!out.rows.out && (out.rows.scale != 1 || out.rows.offset != 0))
    json.fail("\"scale\" and \"offset\" are for \"out\": \"float32\"");
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return out;
}

}  // namespace

Result<ArraySpec> read_array_spec(JsonObject& json) {
  const bool tokens = json.has("tokens");
  const bool rows = json.has("arrays");
  if (tokens && rows) {
    return base::fail(ErrorCode::kInvalid,
                      "of \"tokens\" and \"arrays\" both are given; leave one");
  }
  if (tokens) return read_tokens(json.at("tokens"));
  if (rows) return read_rows(json.at("arrays"));
  return ArraySpec{};
}

Result<std::shared_ptr<const ArraySource>> open_arrays(const ArraySpec& spec) {
  if (const auto* rows = std::get_if<ArrayRowSpec>(&spec))
    return ArrayRows::open(rows->data, rows->labels, rows->rows);
  const auto& tokens = std::get<TokenSpec>(spec);
  auto stream = TokenStream::open(tokens.files, tokens.file);
  if (!stream) return std::unexpected(stream.error());
  if (const auto* window = std::get_if<TokenWindowOptions>(&tokens.cut))
    return TokenWindows::make(std::move(*stream), *window);
  auto documents = tokens.end_of_text ? Documents::ended_by(*stream, *tokens.end_of_text)
                                      : Documents::listed_in(*stream, tokens.index);
  if (!documents) return std::unexpected(documents.error());
  if (const auto* pack = std::get_if<DocumentPackOptions>(&tokens.cut))
    return PackedDocuments::make(std::move(*stream), *documents, *pack);
  return BucketedDocuments::make(std::move(*stream), std::move(*documents),
                                 std::get<PadOptions>(tokens.cut));
}

}  // namespace flatout::data::spec
