// Any bytes as the catalog of a home with one run. The first byte chooses: the
// bytes as a whole catalog.sqlite, or as the row that it holds of the run. The
// catalog is a cache: whatever is in it, the run is listed, and at the second
// look there is nothing left to complain of.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "scratch.h"
#include "store/catalog.h"
#include "store/run_writer.h"
#include "store/sealed/sqlite.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

class RecordedHome {
 public:
  RecordedHome() {
    const base::FakeClock clock;
    auto writer = store::RunWriter::open(home, clock);
    run::RunInfo info;
    info.id = writer->id();
    info.host = "here";
    if (!writer->begin(info) || !writer->end({.t_ns = 7, .survivors = {}})) std::abort();
    if (!store::list_catalog(home, from)) std::abort();
    whole = base::read_file(catalog()).value_or("");
  }
  std::filesystem::path catalog() const { return home.root() / "catalog.sqlite"; }

  fuzz::Scratch scratch;
  store::Home home = store::Home::at(scratch.path());
  store::Viewpoint from{.proc = scratch.path(), .host = "here", .wall_ns = 0};
  std::string whole;  // the catalog as it ought to be
};

void write_row(const RecordedHome& recorded, std::string_view row) {
  fuzz::write_file(recorded.catalog(), recorded.whole);
  auto database = store::Database::shared(recorded.catalog(), 0);
  auto update =
      database ? database->prepare("UPDATE run SET row=?") : std::unexpected(database.error());
  if (!update || !update->bind_text(1, row).run()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RecordedHome recorded;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    std::filesystem::remove(recorded.catalog().string() + "-journal");
    fuzz::write_file(recorded.catalog(), rest);
  } else {
    write_row(recorded, rest);
  }
  for (int look = 0; look < 2; ++look) {
    const auto listing = store::list_catalog(recorded.home, recorded.from);
    if (!listing || listing->runs.size() != 1) std::abort();
    const bool newer = listing->problem.find("newer flatout") != std::string::npos;
    if (look == 1 && !listing->problem.empty() && !newer) std::abort();
  }
  return 0;
}
