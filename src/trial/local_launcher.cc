#include "trial/local_launcher.h"

#include "trial/process_launcher.h"

namespace flatout::trial {

base::Result<std::unique_ptr<Launcher>> make_local_launcher(const std::filesystem::path& flatout,
                                                            const LocalSlots& slots,
                                                            const std::vector<Cpus>& cores) {
  std::vector<ProcessSlot> places(static_cast<std::size_t>(slots.count));
  if (slots.count > 1) {
    const auto shares = share_out(cores, slots.count);
    if (!shares) {
      return base::fail(base::ErrorCode::kInvalid,
                        std::to_string(slots.count) +
                            " trials at one time need as many CPUs, each its own: ask for fewer "
                            "with --slots");
    }
    for (std::size_t i = 0; i < places.size(); ++i) places[i].cpus = (*shares)[i];
  }
  for (std::size_t i = 0; i < places.size() && i < slots.devices.size(); ++i) {
    places[i].environment.push_back("CUDA_VISIBLE_DEVICES=" + slots.devices[i]);
  }
  return std::make_unique<ProcessLauncher>(std::vector<std::string>{flatout.string(), "trial"},
                                           std::move(places));
}

}  // namespace flatout::trial
