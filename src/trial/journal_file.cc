#include "trial/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/new_file.h"
#include "store/run_family.h"

namespace flatout::trial {

using base::Result;

Result<apply::Journal> read_journal(const std::filesystem::path& path) {
  const auto text = base::read_file(path, apply::kMostJournalBytes);
  if (!text) return std::unexpected(text.error());
  return apply::parse_journal(*text, path.string());
}

Result<void> JournalFile::open(const std::filesystem::path& path) {
  fd_ = base::UniqueFd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd_) return base::fail_errno(errno, "cannot open " + path.string());
  (void)::flock(fd_.get(), LOCK_EX | LOCK_NB);  // some network file systems know no locks
  return {};
}

void JournalFile::append(const std::filesystem::path& path, const std::string& lines) {
  if (failed_) return;
  Result<void> done;
  if (!fd_) done = open(path);
  if (done) done = base::write_all(fd_.get(), lines, path.string());
  if (done && ::fdatasync(fd_.get()) != 0) done = base::fail_errno(errno, path.string());
  if (!done) fail(done.error().message);
}

void JournalFile::begin_with(const std::filesystem::path& path, const std::string& text) {
  auto done = base::write_private_file(path, text);
  if (done) done = open(path);
  if (!done) fail(done.error().message);
}

void JournalFile::fail(const std::string& problem) {
  if (!failed_) tell_("note: " + problem + "; this " + what_ + " cannot be resumed");
  failed_ = true;
}

}  // namespace flatout::trial
