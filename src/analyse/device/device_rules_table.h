// What the tests of the rules about devices share: a row of their table, and
// changes to a run that more than one of them makes.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "analyse/device/gpu_fixture.h"

namespace flatout::analyse::device_rules {

constexpr pid_t kPid = TimelineBuilder::kPid;

struct Row {
  std::string name;
  std::string rule;
  GpuLoop loop = {};
  GpuState state = {};
  std::function<void(TimelineBuilder&)> more = [](TimelineBuilder&) {};
  std::string severity;  // "none" = the rule must be silent
  double share = 0;
  run::Cause cause = run::Cause::kNone;
  std::string says = {};
  std::string tier = {};
};

inline void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

inline auto fact(std::string_view key, std::string json) {
  return [key, json](TimelineBuilder& run) { run.fact(kPid, key, json); };
}
inline auto pageable_copy() {
  return fact(run::facts::kCopy, R"({"phase":"h2d","at":"/s/t.py:58","pinned":false,"bytes":9e6})");
}
inline auto precision(std::string autocast, bool tf32 = false) {
  return fact(run::facts::kPrecision, R"({"autocast":")" + autocast + R"(","tf32_matmul":)" +
                                          (tf32 ? "true" : "false") +
                                          R"(,"float32_matmul_precision":"highest"})");
}
inline auto optimizer(bool foreach, bool fused = false) {
  return fact(run::facts::kOptimizer, std::string(R"({"class":"AdamW","built_at":"/s/t.py:50",)") +
                                          R"("tensors":161,"foreach":)" +
                                          (foreach ? "true" : "false") + R"(,"fused":)" +
                                          (fused ? "true" : "false") + "}");
}
template <typename... Changes>
auto all(Changes... changes) {
  return [=](TimelineBuilder& run) { (changes(run), ...); };
}

// The table's parts, one file each: device_rules_<part>_test.cc.
std::vector<Row> copies_and_syncs();
std::vector<Row> kernels();
std::vector<Row> clocks();
std::vector<Row> owners();
std::vector<Row> host_memory();

}  // namespace flatout::analyse::device_rules
