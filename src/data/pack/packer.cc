#include "data/pack/packer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "data/pack/sample_line.h"
#include "data/source/file_part.h"
#include "data/source/packed_shards.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;
using std::filesystem::path;

constexpr int kMostThreads = 1024;
constexpr int kMostSize = 1 << 14;
constexpr std::size_t kWriteBytes = std::size_t{1} << 20;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Result<void> check(const PackOptions& options) {
  const auto wrong = [](const char* what, std::uint64_t value, const char* bounds) {
    return base::fail(ErrorCode::kInvalid,
                      std::string(what) + ": " + std::to_string(value) + " is not in " + bounds);
  };
  const SampleForm& form = options.form;
  if (form.size < 1 || form.size > kMostSize)
    return wrong("size", static_cast<std::uint64_t>(form.size), "1 to 16384");
  if (form.quality < 1 || form.quality > 100)
    return wrong("quality", static_cast<std::uint64_t>(form.quality), "1 to 100");
  if (options.threads < 1 || options.threads > kMostThreads)
    return wrong("threads", static_cast<std::uint64_t>(options.threads), "1 to 1024");
  if (options.shard_bytes < 1 || options.shard_bytes > std::uint64_t{1} << 40U)
    return wrong("shard_bytes", options.shard_bytes, "1 to 2^40");
  return {};
}

// Stands for what the shards will hold, as far as it is known without reading it.
std::uint64_t set_of(const Source& source, const std::vector<std::string>& classes,
                     const PackOptions& options) {
  const SampleForm& form = options.form;
  std::string text = std::string(name_of(form.kind)) + " " + std::to_string(kShardVersion) + " " +
                     std::to_string(options.shard_bytes);
  if (form.kind != ShardKind::kOriginal) text += " " + std::to_string(form.size);
  if (form.kind == ShardKind::kJpeg) text += " " + std::to_string(form.quality);
  for (const std::string& name : classes) text += "\n" + name;
  std::uint64_t set = checksum_of(bytes_of(text));
  for (std::int64_t index = 0; index < source.size(); ++index) {
    text = std::to_string(set) + " " + std::to_string(source.label(index)) + " " +
           source.short_name(index);
    set = checksum_of(bytes_of(text));
  }
  return set;
}

base::Error somebodys_own(const std::string& name, const char* what) {
  return {ErrorCode::kExists, name + " is no " + what + " of flatout's; choose another folder"};
}

// A pipe or a device is none, and is not waited for.
bool is_ordinary(int file) {
  struct stat found{};
  return ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
}

// An error where the name is taken by something else than a file that begins so, or is empty.
Result<void> check_begins(const path& where, std::string_view magic, const char* what) {
  const base::UniqueFd file(::open(where.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!file && errno == ENOENT) return {};
  if (!file || !is_ordinary(file.get())) return std::unexpected(somebodys_own(where, what));
  std::string begin(magic.size(), '\0');
  const auto got = read_at(file.get(), 0, std::as_writable_bytes(std::span(begin)), where);
  if (!got) return std::unexpected(got.error());
  begin.resize(*got);
  if (magic.starts_with(begin)) return {};
  return std::unexpected(somebodys_own(where, what));
}

// A data file that grows.
class DataFile {
 public:
  // Over one that was not finished, but over nothing else.
  static Result<DataFile> create(const path& where) {
    DataFile out;
    out.name_ = where.string();
    if (auto ours = check_begins(where, kShardMagic, "shard"); !ours)
      return std::unexpected(ours.error());
    out.file_ = base::UniqueFd(
        ::open(where.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666));
    if (!out.file_) return base::fail_errno(errno, "cannot create " + out.name_);
    if (!is_ordinary(out.file_.get())) return std::unexpected(somebodys_own(out.name_, "shard"));
    if (::ftruncate(out.file_.get(), 0) != 0)
      return base::fail_errno(errno, "cannot write " + out.name_);
    return out;
  }

  std::uint64_t size() const { return written_ + waiting_.size(); }

  Result<void> append(std::string_view bytes) {
    waiting_ += bytes;
    return waiting_.size() < kWriteBytes ? Result<void>() : flush();
  }
  Result<void> align() {
    return append(
        std::string((kShardAlignment - size() % kShardAlignment) % kShardAlignment, '\0'));
  }
  // To the disk: an index must not outlive its data.
  Result<void> finish() {
    if (auto done = append(std::string(kShardTailBytes, '\0')); !done) return done;
    if (auto done = flush(); !done) return done;
    if (::fdatasync(file_.get()) != 0) return base::fail_errno(errno, "cannot write " + name_);
    return {};
  }

 private:
  Result<void> flush() {
    if (auto done = base::write_all(file_.get(), waiting_, name_); !done) return done;
    written_ += waiting_.size();
    waiting_.clear();
    return {};
  }

  std::string name_;
  base::UniqueFd file_;
  std::string waiting_;
  std::uint64_t written_ = 0;
};

class Packing {
 public:
  Packing(const Source& source, const path& folder, const PackOptions& options,
          const OnPackProgress& on_progress, std::uint64_t set)
      : source_(source), folder_(folder), options_(options), on_progress_(on_progress), set_(set) {}

  // Until `next_` is the source's end.
  Result<void> run() {
    while (next_ < source_.size()) {
      if (report_.shards == kMostShards)
        return base::fail(ErrorCode::kTooLarge,
                          "more than " + std::to_string(kMostShards) + " shards; make them larger");
      auto kept = keep_finished(report_.shards);
      if (!kept) return std::unexpected(kept.error());
      if (!*kept) {
        if (auto done = write_shard(report_.shards); !done) return done;
      }
      report_.kept_shards += *kept ? 1 : 0;
      ++report_.shards;
    }
    return {};
  }
  PackReport take_report() { return std::move(report_); }

 private:
  Result<void> tell() {
    if (on_progress_ == nullptr ||
        on_progress_({.done = next_, .total = source_.size(), .left_out = report_.left_out}))
      return {};
    return base::fail(ErrorCode::kUnavailable,
                      "packing was ended after " + std::to_string(next_) + " of " +
                          std::to_string(source_.size()) +
                          " samples; the same command goes on where it was");
  }

  // Whether the shard is there, whole, and goes on where the one before ended. kExists where it is
  // of another set.
  Result<bool> keep_finished(std::uint32_t shard) {
    const path where = folder_ / shard_index_name(shard);
    if (auto ours = check_begins(where, kIndexMagic, "index of a shard"); !ours)
      return std::unexpected(ours.error());
    const auto index = read_shard_index(where);
    if (!index && index.error().code != ErrorCode::kInvalid) return false;
    if (!index || index->facts().set != set_) return std::unexpected(another_set(where));
    const ShardFacts& facts = index->facts();
    const bool fits = facts.shard == shard && facts.kind == options_.form.kind &&
                      std::cmp_equal(facts.first, next_) && facts.end > facts.first &&
                      std::cmp_less_equal(facts.end, source_.size());
    if (!fits || !data_are_right(*index)) return false;
    next_ = static_cast<std::int64_t>(facts.end);
    report_.samples += index->samples();
    report_.left_out += static_cast<std::int64_t>(facts.end - facts.first) - index->samples();
    count_bytes(where, facts.data_bytes);
    line_.reset();
    if (auto told = tell(); !told) return std::unexpected(told.error());
    return true;
  }

  bool data_are_right(const ShardIndex& index) {
    const path where = folder_ / shard_data_name(index.facts().shard);
    const base::UniqueFd file(::open(where.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file || !is_ordinary(file.get()) || !check_shard_data(file.get(), index.facts(), where))
      return false;
    std::error_code error;
    if (std::filesystem::file_size(where, error) != index.facts().data_bytes) return false;
    for (std::uint32_t i = 0; i < index.samples(); ++i) {
      const ShardRecord record = index.record(i);
      const auto room = buffer_.room(record.bytes);
      const auto got = read_at(file.get(), record.offset, room, where);
      if (!got || *got != room.size() || checksum_of(room) != record.checksum) return false;
    }
    return true;
  }

  Result<void> write_shard(std::uint32_t shard) {
    const path index_file = folder_ / shard_index_name(shard);
    std::error_code ignored;
    std::filesystem::remove(index_file, ignored);  // a damaged one
    auto data = DataFile::create(folder_ / shard_data_name(shard));
    if (!data) return std::unexpected(data.error());
    ShardFacts facts{.kind = options_.form.kind,
                     .set = set_,
                     .shard = shard,
                     .first = static_cast<std::uint64_t>(next_)};
    if (auto done = data->append(shard_data_header(facts.kind, set_, shard)); !done) return done;
    ShardIndexBuilder index;
    while (next_ < source_.size() && data->size() < options_.shard_bytes &&
           index.samples() < kMostShardSamples) {
      if (auto done = add_next(*data, index); !done) return done;
    }
    if (auto done = data->finish(); !done) return done;
    facts.end = static_cast<std::uint64_t>(next_);
    facts.data_bytes = data->size();
    if (auto done = base::write_file_atomic(index_file, index.finish(facts)); !done) return done;
    count_bytes(index_file, facts.data_bytes);
    return {};
  }

  Result<void> add_next(DataFile& data, ShardIndexBuilder& index) {
    if (line_ == nullptr) {
      line_ = std::make_unique<SampleLine>(source_, options_.form, next_);
      if (auto started = line_->start(options_.threads); !started) return started;
    }
    const SampleLine::Made made = line_->take();
    // No fault of the sample: what is done by then is kept, and it goes on from there another time.
    if (!made.sample && made.sample.error().code == ErrorCode::kUnavailable)
      return std::unexpected(made.sample.error());
    const std::int64_t number = next_++;
    if (!made.sample) {
      ++report_.left_out;
      if (report_.named.size() < PackReport::kMostLeftOut)
        report_.named.push_back({number, made.sample.error().message});
      return tell();
    }
    if (auto done = data.align(); !done) return done;
    index.add({.offset = data.size(),
               .bytes = static_cast<std::uint32_t>(made.sample->bytes.size()),
               .label = source_.label(number),
               .checksum = made.checksum,
               .width = made.sample->width,
               .height = made.sample->height,
               .number = static_cast<std::uint64_t>(number)},
              source_.short_name(number));
    ++report_.samples;
    const auto* text = reinterpret_cast<const char*>(made.sample->bytes.data());
    if (auto done = data.append({text, made.sample->bytes.size()}); !done) return done;
    return tell();
  }

  base::Error another_set(const path& where) const {
    return {ErrorCode::kExists,
            where.string() +
                " belongs to another set, or was packed otherwise; choose another folder, or "
                "remove this one"};
  }

  void count_bytes(const path& index_file, std::uint64_t data_bytes) {
    std::error_code error;
    const std::uintmax_t index_bytes = std::filesystem::file_size(index_file, error);
    report_.bytes += data_bytes + (error ? 0 : index_bytes);
  }

  const Source& source_;
  const path& folder_;
  const PackOptions& options_;
  const OnPackProgress& on_progress_;
  const std::uint64_t set_;
  std::int64_t next_ = 0;  // sample of the source
  PackReport report_;
  ReadBuffer buffer_;
  std::unique_ptr<SampleLine> line_;  // stands at next_, where it is there
};

// Holds the folder for this process alone while it lives.
Result<base::UniqueFd> make_and_lock(const path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return base::fail_errno(error.value(), folder.string());
  base::UniqueFd held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held) return base::fail_errno(errno, folder.string());
  // Where the file system has no locks nobody is kept out.
  if (::flock(held.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return held;
  return base::fail(ErrorCode::kExists,
                    folder.string() + ": another process packs into it; wait until it is done");
}

// Whether the folder holds a whole set already; kExists where that is another one.
Result<bool> is_done(const path& folder, std::uint64_t set) {
  const auto text = base::read_file(folder / kPackManifestName, kMostManifestBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return false;
  const auto manifest =
      text ? read_pack_manifest(*text) : Result<PackManifest>(std::unexpected(text.error()));
  if (manifest && manifest->set == set) return true;
  return base::fail(ErrorCode::kExists,
                    folder.string() +
                        " holds another set, or one that was packed otherwise; choose another "
                        "folder, or remove this one");
}

}  // namespace

Result<PackReport> pack(const Source& source, const std::vector<std::string>& classes,
                        const path& folder, const PackOptions& options,
                        const OnPackProgress& on_progress) {
  if (auto sane = check(options); !sane) return std::unexpected(sane.error());
  const auto held = make_and_lock(folder);
  if (!held) return std::unexpected(held.error());
  const std::uint64_t set = set_of(source, classes, options);
  const auto done = is_done(folder, set);
  if (!done) return std::unexpected(done.error());
  Packing packing(source, folder, options, on_progress, set);
  if (auto ran = packing.run(); !ran) return std::unexpected(ran.error());
  PackReport report = packing.take_report();
  if (report.samples == 0) {
    return base::fail(
        ErrorCode::kInvalid,
        "no sample could be packed" +
            (report.named.empty() ? "" : ", the first because " + report.named[0].why));
  }
  const SampleForm& form = options.form;
  const PackManifest manifest{.set = set,
                              .kind = form.kind,
                              .shards = report.shards,
                              .samples = static_cast<std::uint64_t>(report.samples),
                              .left_out = static_cast<std::uint64_t>(report.left_out),
                              .size = form.kind == ShardKind::kOriginal ? 0 : form.size,
                              .quality = form.kind == ShardKind::kJpeg ? form.quality : 0,
                              .classes = classes};
  if (auto written =
          base::write_file_atomic(folder / kPackManifestName, pack_manifest_text(manifest));
      !written)
    return std::unexpected(written.error());
  return report;
}

}  // namespace flatout::data
