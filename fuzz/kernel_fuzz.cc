// Any bytes as one of the kernel's text files, while all others are as they
// should be: every sampler looks twice at the changed machine and once at the
// true one. Whatever stands there, a figure is finite, not negative and its own.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "collect/amdgpu/amdgpu_source.h"
#include "collect/cgroup/cgroup_source.h"
#include "collect/limits.h"
#include "collect/procfs/host_source.h"
#include "collect/procfs/network_source.h"
#include "collect/procfs/paging_source.h"
#include "collect/procfs/pressure_source.h"
#include "collect/procfs/process_source.h"
#include "collect/procfs/pss_source.h"
#include "collect/procfs/switches_source.h"
#include "kernel_files.h"
#include "scratch.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

struct Checked final : run::SampleSink {
  void add(const run::Sample& sample) override {
    if (!std::isfinite(sample.value) || sample.value < 0) std::abort();
  }
};

class Machine {
 public:
  Machine() {
    for (const auto& file : fuzz::kKernelFiles) put(file.path, file.text);
    put("/sys/block/sda/size", "9");
    put("/sys/class/net/eth0/mtu", "1500");
    put("/dev/kfd", "");
  }
  void put(std::string_view path, std::string_view text) const {
    fuzz::write_file(paths.root.string().append(path), text);
  }
  fuzz::Scratch scratch;
  host::Paths paths{.proc = scratch.path() / "proc", .root = scratch.path()};
};

std::int64_t no_cost() { return 0; }  // else a slow look would put off the next

// A recorder's samplers, as make_sources() has them, but held to no budget.
class Samplers {
 public:
  explicit Samplers(const host::Paths& paths) : tree_(paths, {.recorder = 7, .cpu = no_cost}) {
    sources_.push_back(std::make_unique<collect::HostSource>(paths, 100));
    sources_.push_back(std::make_unique<collect::ProcessSource>(paths, tree_));
    sources_.push_back(std::make_unique<collect::CgroupSource>(paths));
    sources_.push_back(std::make_unique<collect::PressureSource>(paths));
    sources_.push_back(std::make_unique<collect::PagingSource>(paths));
    sources_.push_back(std::make_unique<collect::NetworkSource>(paths));
    sources_.push_back(std::make_unique<collect::SwitchesSource>(paths, tree_));
    sources_.push_back(std::make_unique<collect::PssSource>(paths, tree_, no_cost));
    sources_.push_back(std::make_unique<collect::AmdgpuSource>(paths, collect::AmdgpuOptions{}));
  }
  void look(base::TimeNs now) {
    (void)tree_.update(now, true);
    for (const auto& source : sources_) {
      (void)source->sample(now, out_);
      (void)source->take_devices();
    }
  }

 private:
  collect::ProcessTree tree_;
  std::vector<std::unique_ptr<run::Source>> sources_;
  Checked out_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Machine machine;
  if (size == 0) return 0;
  const auto& file = fuzz::kKernelFiles[data[0] % fuzz::kKernelFiles.size()];
  machine.put(file.path, {reinterpret_cast<const char*>(data) + 1, size - 1});
  const auto limits = collect::read_limits(machine.paths, 4);
  if (limits.cpus < 1 || limits.cpus > 4) std::abort();
  (void)base::process_alive({.pid = 8, .start_ticks = 100}, machine.paths.proc);
  (void)base::boot_id(machine.paths.proc);
  Samplers samplers(machine.paths);
  samplers.look(20 * base::kSecond);
  samplers.look(40 * base::kSecond);
  machine.put(file.path, file.text);
  samplers.look(60 * base::kSecond);
  return 0;
}
