// What stands still of a device: read once, when the run begins. What the driver
// does not give is absent, with its reason.
#pragma once

#include "collect/nvml/driver.h"
#include "run/device.h"

namespace flatout::collect::nvml {

// `index` = its place in flatout's list, which is the driver's order.
run::Device read_facts(Driver& driver, Handle handle, int index);

// The same of an instance of `parent`: its own name, UUID and memory; the rest
// (limits, clocks, link) belongs to the whole GPU and is not repeated.
run::Device read_instance_facts(Driver& driver, Handle handle, int index,
                                const run::Device& parent);

}  // namespace flatout::collect::nvml
