#include "collect/nvml/visible.h"

#include <gtest/gtest.h>

namespace flatout::collect::nvml {
namespace {

constexpr std::nullopt_t kNo = std::nullopt;
using Indices = std::vector<std::optional<int>>;

std::vector<Candidate> alike() {
  return {{.uuid = "GPU-aa01", .name = "A"},
          {.uuid = "GPU-aa02", .name = "A"},
          {.uuid = "GPU-bb03", .name = "A"}};
}
std::vector<Candidate> mixed() {
  auto all = alike();
  all[1].name = "B";
  return all;
}
std::vector<Candidate> with_mig() {
  return {{.uuid = "GPU-aa01", .name = "A", .mig_parent = true},
          {.uuid = "MIG-11", .name = "A MIG 1g", .mig_instance = true},
          {.uuid = "MIG-12", .name = "A MIG 1g", .mig_instance = true}};
}

struct Row {
  const char* what;
  VisibleSetting setting;
  std::vector<Candidate> devices;
  Indices index;
  bool unknown = false;
};

TEST(VisibleDevices, AsCudaReadsTheVariable) {
  const std::vector<Row> rows = {
      {"not set: all", {kNo, ""}, alike(), {0, 1, 2}},
      {"empty: none", {"", ""}, alike(), {kNo, kNo, kNo}},
      {"reordered", {"2,0", ""}, alike(), {1, kNo, 0}},
      {"blanks", {" 1 , 2 ", ""}, alike(), {kNo, 0, 1}},
      {"the first wrong one ends the list", {"1,-1,0", ""}, alike(), {kNo, 0, kNo}},
      {"out of range ends it too", {"0,7,1", ""}, alike(), {0, kNo, kNo}},
      {"a word is no device", {"none", ""}, alike(), {kNo, kNo, kNo}},
      {"twice the same: none", {"1,1", ""}, alike(), {kNo, kNo, kNo}},
      {"UUIDs", {"GPU-bb03,GPU-aa01", ""}, alike(), {1, kNo, 0}},
      {"the beginning of a UUID", {"GPU-bb", ""}, alike(), {kNo, kNo, 0}},
      {"the beginning of two", {"GPU-aa", ""}, alike(), {kNo, kNo, kNo}},
      {"mixed, CUDA's order is not known", {"0", ""}, mixed(), {kNo, kNo, kNo}, true},
      {"mixed, by bus", {"1", "PCI_BUS_ID"}, mixed(), {kNo, 0, kNo}},
      {"mixed, by UUID", {"GPU-aa02", ""}, mixed(), {kNo, 0, kNo}},
      {"MIG by UUID", {"MIG-12", ""}, with_mig(), {kNo, kNo, 0}},
      {"MIG and no setting", {kNo, ""}, with_mig(), {kNo, kNo, kNo}, true},
      {"MIG and an index", {"0", ""}, with_mig(), {kNo, kNo, kNo}, true},
      {"no devices", {"0", ""}, {}, {}},
  };
  for (const Row& row : rows) {
    const Visible visible = visible_devices(row.setting, row.devices);
    EXPECT_EQ(visible.index, row.index) << row.what;
    EXPECT_EQ(!visible.unknown.empty(), row.unknown) << row.what;
  }
}

}  // namespace
}  // namespace flatout::collect::nvml
