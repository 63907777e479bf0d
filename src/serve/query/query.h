// The language by which runs are found: words, and expressions over what a row has.
//
//     resnet config.lr < 0.01 and (summary.loss <= 0.3 or state == failed) and not tag("old")
//
// docs/api.md describes it. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/json.h"

namespace flatout::serve {

class Query {
 public:
  static constexpr std::size_t kMaxBytes = 4096;
  static constexpr int kMaxDepth = 64;

  // "" fits every run. kInvalid: "column 12: ...".
  static base::Result<Query> parse(std::string_view text);
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;
  ~Query();

  // `row`: RunRow of the API.
  bool fits(const Json& row) const;

  // Names of the fields that it compares, each once.
  std::vector<std::string> fields() const;
  // Whether it leaves trials out, whatever else it asks for: kind != "trial" stands in it by `and`.
  bool without_trials() const;

  struct Node;

 private:
  explicit Query(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;  // null: all fit
};

// What a name means in a row: "median_ms", "config.optimizer.lr", "summary.loss", "finding", which
// "verdict" means, too. Null where the row has no such thing.
const Json* field_of(const Json& row, std::string_view name);

// The order of two fields: numbers before texts, null behind everything.
bool field_before(const Json* a, const Json* b);

}  // namespace flatout::serve
