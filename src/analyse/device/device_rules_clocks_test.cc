// Clocks that are held down: see device_rules_test.cc.
#include "analyse/device/device_rules_table.h"

namespace flatout::analyse::device_rules {

std::vector<Row> clocks() {
  return {
      {.name = "Hot",
       .rule = "throttled",
       .state = {.utilization = 0.9, .clock = 1000, .thermal = 0.5},
       .severity = "critical",
       .share = 0.225,  // half of the time at half of the clock, nine tenths of the step
       .cause = run::Cause::kThermal,
       .says = "heat holds the GPU's clocks down 50 %",
       .tier = "nvml"},
      {.name = "WarmClocksNearlyFull",
       .rule = "throttled",
       .state = {.clock = 1900, .thermal = 0.5},
       .severity = "info",
       .share = 0.024,
       .cause = run::Cause::kThermal},
      {.name = "NearItsLimit",
       .rule = "throttled",
       .state = {.temperature = 83},
       .severity = "info",
       .cause = run::Cause::kThermal,
       .says = "reaches 83 C; from 85 C on"},
      {.name = "Cool", .rule = "throttled", .state = {.temperature = 81}, .severity = "none"},
      {.name = "ThrottledSeldom",
       .rule = "throttled",
       .state = {.thermal = 0.04},
       .severity = "none"},
      {.name = "AtItsPowerLimit",
       .rule = "throttled",
       .state = {.power = 395, .clock = 1400, .by_power = 0.9},
       .severity = "info",
       .share = 0.262,
       .cause = run::Cause::kPower},
      {.name = "HeldBackFarBelowItsLimit",
       .rule = "throttled",
       .state = {.power = 200, .clock = 1000, .by_power = 0.6},
       .severity = "critical",
       .share = 0.291,
       .cause = run::Cause::kPower},
      {.name = "HotAndAtItsPowerLimit",
       .rule = "throttled",
       .state = {.power = 395, .clock = 1000, .thermal = 0.3, .by_power = 0.6},
       .severity = "warn",
       .share = 0.146,
       .cause = run::Cause::kThermal},
  };
}

}  // namespace flatout::analyse::device_rules
