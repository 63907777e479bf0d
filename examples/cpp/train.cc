// Trains a linear classifier on images that a small loader decodes, in plain
// C++, and says through flatout.hpp what it is doing:
//
//     c++ -std=c++17 -O2 -pthread train.cc -o train $(pkg-config --cflags --libs flatout
//     flatout-data) flatout run -- ./train flatout run -- ./train --loader native --images FOLDER
//
// --loader naive decodes and normalises a batch in the training thread when it
// is asked for (images that are made up, run-length coded in memory), so the
// report finds it input-bound. --loader native is flatout's own engine, which
// makes the batches on threads while the program trains: JPEG files, in FOLDER
// one folder a class, at most 8 classes. Arguments: [--steps N] [--loader NAME]
// [--images FOLDER].
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <flatout/data.hpp>
#include <flatout/flatout.hpp>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kSide = 96;
constexpr std::size_t kPixels = kSide * kSide;
constexpr std::size_t kClasses = 8;
constexpr std::size_t kBatch = 16;

struct Coded {
  std::vector<std::uint8_t> bytes;  // pairs: length, value
  std::size_t label = 0;
};

struct Batch {
  std::vector<float> pixels = std::vector<float>(kBatch * kPixels);
  std::vector<std::size_t> labels = std::vector<std::size_t>(kBatch);
};

// Stripes whose width shows the class, with noise.
Coded make_image(std::mt19937& random, std::size_t label) {
  Coded image;
  image.label = label;
  std::size_t pixel = 0;
  while (pixel < kPixels) {
    const std::size_t length = 1 + random() % 3;
    const bool bright = pixel % kSide / (2 * label + 2) % 2 == 0;
    image.bytes.push_back(static_cast<std::uint8_t>(length));
    image.bytes.push_back(static_cast<std::uint8_t>((bright ? 150 : 60) + random() % 40));
    pixel += length;
  }
  return image;
}

class Loader {
 public:
  virtual ~Loader() = default;
  virtual void next(Batch& batch) = 0;
};

// Decodes when asked, one image after the other.
class NaiveLoader final : public Loader {
 public:
  explicit NaiveLoader(const std::vector<Coded>& images) : images_(images) {}

  void next(Batch& batch) override {
    for (std::size_t i = 0; i < kBatch; ++i) {
      const Coded& image = images_[random_() % images_.size()];
      batch.labels[i] = image.label;
      decode(image, &batch.pixels[i * kPixels]);
    }
  }

 private:
  static void decode(const Coded& image, float* out) {
    std::vector<float> plain;
    for (std::size_t at = 0; at + 1 < image.bytes.size(); at += 2) {
      for (int n = image.bytes[at]; n > 0; --n) plain.push_back(image.bytes[at + 1]);
    }
    // Gamma, pixel by pixel: dear, and the same each time.
    for (std::size_t i = 0; i < kPixels; ++i) out[i] = std::pow(plain[i] / 255.0F, 2.2F) - 0.3F;
  }

  const std::vector<Coded>& images_;
  std::mt19937 random_{7};
};

// Grey pictures of kSide x kSide, epoch after epoch.
class NativeLoader final : public Loader {
 public:
  explicit NativeLoader(const std::string& folder)
      : loader_("{\"images\":" + quoted(folder) +
                ",\"shuffle\":true,\"drop_last\":true,\"channels\":1,\"batch_size\":" +
                std::to_string(kBatch) + ",\"steps\":[{\"resize\":[" + std::to_string(kSide) + "," +
                std::to_string(kSide) +
                "]},\"random_horizontal_flip\"],\"normalize\":{\"mean\":[0.45],\"std\":[1]}}") {
    if (loader_.samples() < static_cast<std::int64_t>(kBatch))
      throw std::invalid_argument(folder + " has less than a batch of images");
    loader_.begin(epoch_);
  }

  void next(Batch& batch) override {
    flatout::LoadedBatch loaded = loader_.next();
    while (!loaded) {
      loader_.begin(++epoch_);
      loaded = loader_.next();
    }
    std::copy_n(loaded.data<float>(), kBatch * kPixels, batch.pixels.begin());
    for (std::size_t i = 0; i < kBatch; ++i)
      batch.labels[i] = static_cast<std::size_t>(loaded.labels()[i]) % kClasses;
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text)
      out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
  }

  flatout::Loader loader_;
  unsigned epoch_ = 0;
};

class Classifier {
 public:
  float forward(const Batch& batch) {
    float loss = 0;
    for (std::size_t i = 0; i < kBatch; ++i) {
      float* p = &probabilities_[i * kClasses];
      float sum = 0;
      for (std::size_t c = 0; c < kClasses; ++c) {
        float z = 0;
        for (std::size_t j = 0; j < kPixels; ++j)
          z += weights_[c * kPixels + j] * batch.pixels[i * kPixels + j];
        sum += p[c] = std::exp(std::min(z, 60.0F));
      }
      for (std::size_t c = 0; c < kClasses; ++c) p[c] /= sum;
      loss -= std::log(p[batch.labels[i]] + 1e-9F) / kBatch;
    }
    return loss;
  }

  void backward(const Batch& batch) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0F);
    for (std::size_t i = 0; i < kBatch; ++i) {
      for (std::size_t c = 0; c < kClasses; ++c) {
        const float error =
            (probabilities_[i * kClasses + c] - (c == batch.labels[i] ? 1.0F : 0.0F)) / kBatch;
        for (std::size_t j = 0; j < kPixels; ++j)
          gradient_[c * kPixels + j] += error * batch.pixels[i * kPixels + j];
      }
    }
  }

  void update(float rate) {
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] -= rate * gradient_[i];
  }

 private:
  std::vector<float> weights_ = std::vector<float>(kClasses * kPixels);
  std::vector<float> gradient_ = std::vector<float>(kClasses * kPixels);
  std::vector<float> probabilities_ = std::vector<float>(kBatch * kClasses);
};

std::unique_ptr<Loader> make_loader(const std::string& name, const std::vector<Coded>& images,
                                    const std::string& folder) {
  if (name == "naive" && folder.empty()) return std::make_unique<NaiveLoader>(images);
  if (name == "naive")
    throw std::invalid_argument("--loader naive reads no JPEG files; use --loader native");
  if (name == "native" && !folder.empty()) return std::make_unique<NativeLoader>(folder);
  if (name == "native") throw std::invalid_argument("--loader native needs --images FOLDER");
  throw std::invalid_argument("no such loader: " + name + "; there are naive and native");
}

void train(Loader& loader, int steps) {
  Classifier classifier;
  Batch batch;
  for (int step = 0; step < steps; ++step) {
    flatout::timed(flatout::kDataWait, [&] { loader.next(batch); });
    const float loss = flatout::timed(flatout::kForward, [&] { return classifier.forward(batch); });
    flatout::timed(flatout::kBackward, [&] { classifier.backward(batch); });
    {
      const flatout::Phase phase(flatout::kOptimizer);
      classifier.update(0.002F);
    }
    flatout::log("loss", loss, step);
    flatout::step_end(kBatch);
    if (step % 50 == 49) std::printf("step %d loss %.3f\n", step + 1, static_cast<double>(loss));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  int steps = 200;
  std::string loader = "naive";
  std::string folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--steps") steps = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "--loader") loader = argv[i + 1];
    if (std::string(argv[i]) == "--images") folder = argv[i + 1];
  }
  std::mt19937 random(1);
  std::vector<Coded> images;
  for (std::size_t i = 0; i < 256; ++i) images.push_back(make_image(random, i % kClasses));
  train(*make_loader(loader, images, folder), steps);
  return 0;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "train: %s\n", problem.what());
  return 1;
}
