// Any bytes as a query: it is read or refused with a column, and what is read is asked of a row.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/query/known_fields.h"
#include "serve/query/query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  static const serve::Json row = serve::Json::parse(
      R"({"id":"k7f2","name":"a","tags":["x"],"steps":null,"tracked":{"config":{"a":{"b":1},"a.b":2}}})");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = serve::Query::parse(text);
  if (!query) {
    if (!query.error().message.starts_with("column ")) std::abort();
    return 0;
  }
  (void)query->fits(row);
  (void)query->without_trials();
  const serve::Json* rows[] = {&row};
  if (serve::unknown_fields(*query, rows).size() > query->fields().size()) std::abort();
  return 0;
}
