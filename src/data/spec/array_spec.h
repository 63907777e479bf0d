// What a description says of tokens or arrays: {"tokens": {...}}, {"arrays": {...}}.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "data/feed/array_source.h"
#include "data/spec/json_object.h"
#include "data/tokens/array_file.h"
#include "data/tokens/array_rows.h"
#include "data/tokens/bucketed_documents.h"
#include "data/tokens/packed_documents.h"
#include "data/tokens/token_windows.h"

namespace flatout::data::spec {

struct TokenSpec {
  std::vector<std::string> files;
  ArrayFileOptions file;
  // Windows of the stream, or its documents, packed or padded.
  std::variant<TokenWindowOptions, DocumentPackOptions, PadOptions> cut;
  std::optional<std::int64_t> end_of_text;  // one of the two, for documents
  std::string index;
};

struct ArrayRowSpec {
  std::string data;
  std::string labels;  // or none
  ArrayRowOptions rows;
};

// Nothing, or one of the two.
using ArraySpec = std::variant<std::monostate, TokenSpec, ArrayRowSpec>;

// Takes "tokens" or "arrays" where `json` has one of them.
base::Result<ArraySpec> read_array_spec(JsonObject& json);

// Opens its files. Not for nothing.
base::Result<std::shared_ptr<const ArraySource>> open_arrays(const ArraySpec& spec);

}  // namespace flatout::data::spec
