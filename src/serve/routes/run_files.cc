// Documents and files in a run's folder.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "app/stored_story.h"
#include "app/tracked_headline.h"
#include "base/file.h"
#include "serve/json.h"
#include "serve/routes/routes.h"
#include "serve/runs/outlined_run.h"
#include "serve/runs/tracked_json.h"
#include "store/run_family.h"
#include "store/run_meta.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMostFileBytes = 64U << 20;

// Only what a browser shows without executing anything.
std::string type_of(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"png", "image/png"},
      {"jpg", "image/jpeg"},
      {"jpeg", "image/jpeg"},
      {"gif", "image/gif"},
      {"webp", "image/webp"},
      {"wav", "audio/wav"},
      {"mp3", "audio/mpeg"},
      {"mp4", "video/mp4"},
      {"webm", "video/webm"},
      {"txt", "text/plain; charset=utf-8"},
      {"csv", "text/plain; charset=utf-8"},
      {"json", "application/json"}};
  const auto found = types.find(name.substr(name.rfind('.') + 1));
  return found == types.end() ? "application/octet-stream" : found->second;
}

// A regular file, and no link to one.
base::Result<std::string> read_plain(const std::filesystem::path& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat st{};
  if (!file || ::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) {
    return base::fail(base::ErrorCode::kNotFound, "the file is not there any more");
  }
  if (static_cast<std::uint64_t>(st.st_size) > kMostFileBytes) {
    return base::fail(base::ErrorCode::kTooLarge,
                      "the file is larger than 64 MiB; it lies at " + path.string());
  }
  std::string out(static_cast<std::size_t>(st.st_size), '\0');
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(file.get(), out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

}  // namespace

Response run_file(Api& api, const Request& request, const std::string& id) {
  const std::string name = request.path.back();
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const bool plain = name.find('/') == std::string::npos && !name.starts_with('.');
  if (!plain ||
      !files_of(app::tracked_runs_of(*open->outline, open->run->folder())).contains(name)) {
    return error_response(404, "not_found", "the run logged no such file");
  }
  auto bytes = read_plain(open->run->folder() / store::kTrackedFolderName / name);
  if (!bytes) return error_response(bytes.error());
  Response response = text_response(std::move(*bytes), type_of(name));
  response.headers = {
      {"Content-Disposition", "attachment"},
      {"Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"}};
  return response;
}

// The document as the tune wrote it, once it is seen to be one.
Response run_tune(Api& api, const Request&, const std::string& id) {
  if (!api.home.has(id)) return no_such_run(id);
  const auto path = api.home.folder(id) / store::kTuneReportName;
  auto text = read_plain(path);
  if (!text && text.error().code == base::ErrorCode::kNotFound) {
    return error_response(
        404, "not_found",
        "run " + id + " is no tune's first run, or its tune has left no report yet");
  }
  if (!text) return error_response(text.error());
  if (const auto parsed = app::parse_tune_report(*text, path.string()); !parsed) {
    return error_response(parsed.error());
  }
  return text_response(std::move(*text));
}

}  // namespace flatout::serve
