// What the two cores could give if a loader were nothing but decoding: all files of a folder are
// read before, and nothing is handed over. The crops are those that the engine draws for this seed
// and epoch. Prints {"ceilings": [...]} for bench/data/loaders.py.
//
//   data_ceilings FOLDER THREADS SEED EPOCH
#include <time.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "data/decode/jpeg/decoder.h"
#include "data/source/image_folder.h"
#include "data/transform/chain.h"
#include "turbo_object.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr int kSide = 224;
constexpr std::size_t kSamplesInMemory = 64;  // a thread's: a batch, so that stores meet memory
using Bytes = std::vector<std::byte>;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "data_ceilings: %s\n", why.c_str());
  std::exit(1);
}

template <typename T>
T must(flatout::base::Result<T> result) {
  if (!result) stop(result.error().message);
  return *std::move(result);
}

struct File {
  Bytes bytes;
  transform::Plan plan;
};

transform::Chain chain() {
  transform::ChainOptions options{.steps = {transform::RandomResizedCrop{.size = {kSide, kSide}},
                                            transform::RandomHorizontalFlip{}}};
  for (int channel = 0; channel < 3; ++channel) {
    options.normalization.mean[channel] = 0.45F;
    options.normalization.std[channel] = 0.225F;
  }
  return must(transform::Chain::make(options));
}

std::vector<File> read_files(const char* folder, std::uint64_t seed, std::uint32_t epoch) {
  const auto listed = must(open_image_folder(folder));
  const transform::Chain plans = chain();
  std::vector<File> files;
  ReadBuffer buffer;
  JpegDecoder decoder;
  for (std::int64_t index = 0; index < listed.files->size(); ++index) {
    const auto bytes = must(listed.files->read(index, buffer));
    const JpegInfo info = must(decoder.open(bytes));
    const Draws draws(seed, epoch, static_cast<std::uint64_t>(index));
    files.push_back(
        {{bytes.begin(), bytes.end()}, must(plans.plan(info.width, info.height, draws))});
  }
  return files;
}

// libjpeg-turbo as a loader would use it at its best: one object a thread, no columns or rows
// beyond the crop's blocks. An error in a file ends the program.
class Turbo : TurboObject {
 public:
  // The crop, at eighths / 8 of its size.
  PixelView crop(const File& file, int eighths) {
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file.bytes.data()),
                 file.bytes.size());
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.scale_num = static_cast<unsigned>(eighths);
    jpeg_.scale_denom = 8;
    jpeg_start_decompress(&jpeg_);
    const Box& box = file.plan.source;
    const auto scaled = [&](int pixels) { return static_cast<JDIMENSION>(pixels * eighths / 8); };
    JDIMENSION left = scaled(box.left);
    JDIMENSION width = scaled(box.width);
    const JDIMENSION wanted = left;
    jpeg_crop_scanline(&jpeg_, &left, &width);
    jpeg_skip_scanlines(&jpeg_, scaled(box.top));
    const JDIMENSION height = scaled(box.height);
    const std::size_t stride = std::size_t{3} * jpeg_.output_width;
    pixels_.resize(stride * height);
    for (JDIMENSION row = 0; row < height;) row += read_row(stride, row);
    jpeg_abort_decompress(&jpeg_);
    return {pixels_.data() + std::size_t{3} * (wanted - left), box.width, box.height, 3,
            static_cast<std::ptrdiff_t>(stride)};
  }

 private:
  JDIMENSION read_row(std::size_t stride, JDIMENSION row) {
    JSAMPROW rows[] = {pixels_.data() + stride * row};
    return jpeg_read_scanlines(&jpeg_, rows, 1);
  }
};

// The least n / 8 that leaves the crop as large as the sample.
int least_eighths(const Box& box) {
  int eighths = 1;
  while (eighths < 8 && (box.width * eighths < kSide * 8 || box.height * eighths < kSide * 8))
    ++eighths;
  return eighths;
}

// What one thread does with a file.
using Work = std::function<void(const File&)>;

class Samples {
 public:
  void write(const PixelView& pixels, const transform::Plan& plan) {
    std::byte* const out = memory_.data() + next_++ % kSamplesInMemory * chain_.shape().bytes();
    if (!chain_.write(pixels, plan, scratch_, out)) stop("a sample could not be written");
  }

 private:
  transform::Chain chain_ = chain();
  transform::Scratch scratch_;
  Bytes memory_ = Bytes(chain_.shape().bytes() * kSamplesInMemory);
  std::size_t next_ = 0;
};

Work turbo_crop() {
  return [turbo = std::make_shared<Turbo>()](const File& file) { turbo->crop(file, 8); };
}
Work turbo_scaled() {
  return [turbo = std::make_shared<Turbo>()](const File& file) {
    turbo->crop(file, least_eighths(file.plan.source));
  };
}
Work turbo_sample() {
  return [turbo = std::make_shared<Turbo>(), samples = std::make_shared<Samples>()](
             const File& file) { samples->write(turbo->crop(file, 8), file.plan); };
}

PixelView own(JpegDecoder& decoder, const File& file) {
  must(decoder.open(file.bytes));
  return must(decoder.decode(file.plan.source));
}
Work own_crop() {
  return [decoder = std::make_shared<JpegDecoder>()](const File& file) { own(*decoder, file); };
}
Work own_sample() {
  return [decoder = std::make_shared<JpegDecoder>(), samples = std::make_shared<Samples>()](
             const File& file) { samples->write(own(*decoder, file), file.plan); };
}

struct Ceiling {
  const char* name;
  const char* note;
  Work (*work)();
  bool aim;
};

constexpr Ceiling kCeilings[] = {
    {"libjpeg-turbo's decoding", "only the crop's rows and columns", turbo_crop, true},
    {"libjpeg-turbo's decoding, scaled",
     "the same at the least n/8 that leaves the crop 224 pixels: other pixels", turbo_scaled,
     false},
    {"libjpeg-turbo's decoding and our transform", "crop, flip and normalised float32 besides",
     turbo_sample, false},
    {"our decoding", "only the crop's rows and columns", own_crop, false},
    {"our decoding and transform", "a loader without reading, ordering and handing over",
     own_sample, true},
};

struct Rate {
  double per_s = 0;
  double per_cpu_s = 0;
};

double seconds_of(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

// Images of `threads` threads that share the files.
Rate rate(const std::vector<File>& files, int threads, Work (*work)()) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> ready = 0;
  std::atomic<bool> go = false;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&] {
      const Work mine = work();
      mine(files.front());  // memory is taken before the clock starts
      ++ready;
      go.wait(false);
      for (std::size_t at = next++; at < files.size(); at = next++) mine(files[at]);
    });
  }
  while (ready < threads) std::this_thread::yield();
  const double began = seconds_of(CLOCK_MONOTONIC);
  const double cpu_began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  go = true;
  go.notify_all();
  for (std::thread& thread : all) thread.join();
  const auto images = static_cast<double>(files.size());
  return {.per_s = images / (seconds_of(CLOCK_MONOTONIC) - began),
          .per_cpu_s = images / (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_began)};
}

template <typename Number>
Number number(const char* text, const char* what) {
  Number value = 0;
  const char* const end = text + std::strlen(text);
  if (const auto read = std::from_chars(text, end, value);
      read.ec != std::errc() || read.ptr != end)
    stop(std::string(what) + " is no number: " + text);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) stop("usage: data_ceilings FOLDER THREADS SEED EPOCH");
  const int threads = number<int>(argv[2], "THREADS");
  if (threads < 1 || threads > 1024) stop("THREADS must be 1 to 1024");
  const auto files = read_files(argv[1], number<std::uint64_t>(argv[3], "SEED"),
                                number<std::uint32_t>(argv[4], "EPOCH"));
  std::printf("{\"ceilings\": [");
  const char* before = "";
  for (const Ceiling& ceiling : kCeilings) {
    const Rate images = rate(files, threads, ceiling.work);
    std::printf(
        "%s\n {\"name\": \"%s\", \"images_per_s\": %.1f, \"images_per_cpu_s\": %.1f, "
        "\"threads\": %d, \"note\": \"%s\", \"aim\": %s}",
        before, ceiling.name, images.per_s, images.per_cpu_s, threads, ceiling.note,
        ceiling.aim ? "true" : "false");
    before = ",";
  }
  std::printf("\n]}\n");
}
