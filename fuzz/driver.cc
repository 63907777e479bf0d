// A stand-in for libFuzzer where only GCC is there: takes the seeds of the
// folders named on the command line, changes them at random for
// -max_total_time seconds, and calls the target with each. It sees no coverage
// and so reaches less; it does keep every sanitizer's eye on the readers.
//
// The input in work lies in a mapped file, <artifact_prefix>current: when a
// sanitizer ends the process, that file is the input that did it. Runs are
// reproducible by -seed=N.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMaxInput = 1U << 16;
using Bytes = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

std::uint8_t interesting(Random& random) {
  constexpr std::uint8_t kValues[] = {0, 1, 7, 8, 16, 32, 64, 127, 128, 255};
  return kValues[below(random, std::size(kValues))];
}

void change_once(Bytes& input, const std::vector<Bytes>& seeds, Random& random) {
  const std::size_t at = below(random, input.size());
  switch (below(random, 6)) {
    case 0:
      if (!input.empty()) input[at] ^= static_cast<std::uint8_t>(1U << below(random, 8));
      break;
    case 1:
      if (!input.empty()) input[at] = interesting(random);
      break;
    case 2:
      input.resize(at);
      break;
    case 3:
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), 1 + below(random, 16),
                   interesting(random));
      break;
    case 4: {
      const std::size_t count = below(random, input.size() - at + 1);
      input.erase(input.begin() + static_cast<std::ptrdiff_t>(at),
                  input.begin() + static_cast<std::ptrdiff_t>(at + count));
      break;
    }
    default: {
      const Bytes& other = seeds[below(random, seeds.size())];
      const std::size_t from = below(random, other.size());
      const Bytes piece(other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
    }
  }
  if (input.size() > kMaxInput) input.resize(kMaxInput);
}

std::vector<Bytes> read_seeds(const std::vector<std::string>& folders) {
  std::vector<Bytes> seeds;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      if (bytes.size() > kMaxInput) bytes.resize(kMaxInput);
      seeds.push_back(std::move(bytes));
    }
  }
  if (seeds.empty()) seeds.emplace_back();
  return seeds;
}

// The mapped file that survives this process, or nullptr.
std::uint8_t* map_current(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, kMaxInput + sizeof(std::uint64_t)) != 0) return nullptr;
  void* map =
      ::mmap(nullptr, kMaxInput + sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return map == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(map);
}

struct Options {
  long seconds = 10;
  std::uint64_t seed = 1;
  std::string prefix;
  std::vector<std::string> folders;
};

bool take(std::string_view word, std::string_view name, std::string& value) {
  if (!word.starts_with(name)) return false;
  value = word.substr(name.size());
  return true;
}

Options parse(int argc, char** argv) {
  Options options;
  std::string value;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (take(word, "-max_total_time=", value)) {
      std::from_chars(value.data(), value.data() + value.size(), options.seconds);
    } else if (take(word, "-seed=", value)) {
      std::from_chars(value.data(), value.data() + value.size(), options.seed);
    } else if (take(word, "-artifact_prefix=", value)) {
      options.prefix = value;
    } else if (!word.starts_with("-")) {
      options.folders.emplace_back(word);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Bytes> seeds = read_seeds(options.folders);
  std::uint8_t* current = map_current(options.prefix + "current");
  if (current == nullptr) {
    std::fprintf(stderr, "fuzz: cannot write %scurrent\n", options.prefix.c_str());
    return 1;
  }
  Random random(options.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  std::uint64_t runs = 0;
  for (const Bytes& seed : seeds) {
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    ++runs;
  }
  while (std::chrono::steady_clock::now() < end) {
    Bytes input = seeds[below(random, seeds.size())];
    for (std::size_t left = 1 + below(random, 8); left > 0; --left)
      change_once(input, seeds, random);
    const std::uint64_t size = input.size();
    std::memcpy(current, &size, sizeof size);
    if (size > 0) std::memcpy(current + sizeof size, input.data(), input.size());
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
  }
  std::filesystem::remove(options.prefix + "current");
  std::printf("fuzz: %llu inputs from %zu seeds, seed %llu\n",
              static_cast<unsigned long long>(runs), seeds.size(),
              static_cast<unsigned long long>(options.seed));
  return 0;
}
