// The curves of one run: what was sampled of it, and what it named itself. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/timeline.h"
#include "serve/series/series.h"

namespace flatout::serve {

class RunSeries {
 public:
  explicit RunSeries(const run::Timeline& timeline);

  const std::vector<SeriesInfo>& infos() const { return infos_; }
  // kNotFound: it has no such curve.
  base::Result<Curve> curve(std::string_view key, const SeriesQuery& query) const;
  std::size_t bytes() const;  // in memory

 private:
  struct Column {
    std::vector<double> ms, step, value;
  };
  void add_metrics(const run::Timeline& timeline);
  void add_values(const run::Timeline& timeline);
  void finish(SeriesInfo info, Column column);

  std::vector<SeriesInfo> infos_;
  std::vector<Column> columns_;  // of each
  std::map<std::string, std::size_t, std::less<>> numbers_;
};

}  // namespace flatout::serve
