#include "store/output/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/file.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;

struct OutputFileName {
  std::int64_t pid = 0;
  std::int64_t number = 0;
};

// "PID.NUMBER.txt"
std::optional<OutputFileName> output_file_name(std::string_view name) {
  OutputFileName out;
  const char* const end = name.data() + name.size();
  auto done = std::from_chars(name.data(), end, out.pid);
  if (done.ec != std::errc() || done.ptr == end || *done.ptr != '.') return std::nullopt;
  done = std::from_chars(done.ptr + 1, end, out.number);
  const std::string_view rest(done.ptr, static_cast<std::size_t>(end - done.ptr));
  if (done.ec != std::errc() || rest != ".txt" || out.pid < 0 || out.number < 0)
    return std::nullopt;
  return out;
}

}  // namespace

OutputFiles find_output_files(const fs::path& run_folder) {
  OutputFiles found;
  std::error_code error;
  fs::directory_iterator entries(run_folder / kOutputFolderName, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const auto name = output_file_name(entries->path().filename().native());
    struct stat st{};
    if (!name || ::lstat(entries->path().c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    if (!found.contains(name->pid) && found.size() == kMostOutputProcesses) continue;
    found[name->pid][name->number] = {entries->path(), static_cast<std::uint64_t>(st.st_size)};
  }
  return found;
}

std::string read_output_bytes(const fs::path& path, std::uint64_t from, std::size_t bytes) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string out;
  if (!file) return out;
  out.resize(bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(file.get(), out.data() + done, bytes - done, static_cast<off_t>(from + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

}  // namespace flatout::store
