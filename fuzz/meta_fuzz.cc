// Any bytes as the small JSON files of a run's folder. The first byte chooses:
// meta.json, which is read, changed and read again, or staged.json.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scratch.h"
#include "store/run_meta.h"
#include "store/staging.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  static const fuzz::Scratch scratch;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] != 0) {
    fuzz::write_file(scratch.path() / store::kStagedFileName, rest);
    if (store::staged_log(scratch.path()) && store::staged_elsewhere(scratch.path())) std::abort();
    return 0;
  }
  fuzz::write_file(scratch.path() / store::kMetaFileName, rest);
  (void)store::read_meta(scratch.path());
  const auto written =
      store::update_meta(scratch.path(), [](store::RunMeta& meta) { meta.note = "seen"; });
  if (!written) return 0;
  const auto again = store::read_meta(scratch.path());
  if (!again || *again != *written) std::abort();
  return 0;
}
