// Packs a folder of pictures and reads it back: SPEC of pack(), SPEC of a loader, and after how
// many samples it stops itself (0: never) or throws (-1).
#include <cstdio>
#include <cstdlib>
#include <flatout/data.hpp>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const long until = std::atol(argv[3]);
  try {
    const std::string report =
        flatout::pack(argv[1], [&](std::int64_t done, std::int64_t total, std::int64_t) {
          if (until < 0) throw std::runtime_error("no more of " + std::to_string(total));
          return until == 0 || done < until;
        });
    std::printf("%s\n", report.c_str());
    flatout::Loader loader(argv[2]);
    loader.begin(0);
    std::size_t samples = 0;
    while (const flatout::LoadedBatch batch = loader.next()) samples += batch.size();
    std::printf("%zu\n", samples);
    return flatout::pack(argv[1]).empty() ? 1 : 0;  // nothing is left to do, and nobody is told
  } catch (const flatout::LoaderError& error) {
    std::printf("refused: %s\n", error.what());
  } catch (const std::exception& error) {
    std::printf("thrown: %s\n", error.what());
  }
  return 0;
}
