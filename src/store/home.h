// Where runs live: <home>/runs/<id>/log.flo, every folder 0700. A home may be
// shared by any number of flatouts at once: an id is taken by mkdir(2).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/disk.h"

namespace flatout::store {

// Text of an environment variable, or nullptr, as std::getenv.
using Environment = std::function<const char*(const char*)>;

// 4 to 26 characters of [a-z2-7]: what may be the name of a run's folder.
bool is_run_id(std::string_view text);

// `length` random characters of [a-z2-7], from the kernel.
std::string random_run_id(std::size_t length);

// True of a folder that holds what a recorder writes first or last, or nothing yet. Others keep
// of such names below a "runs", too, as TensorBoard does.
bool may_be_recording(const std::filesystem::path& folder);

class Home {
 public:
  // $FLATOUT_HOME, else $XDG_DATA_HOME/flatout (when absolute, as the XDG
  // specification wants), else $HOME/.local/share/flatout. kNotFound when none
  // is set. Nothing is created.
  static base::Result<Home> resolve(const Environment& environment);
  // A home at `root`, made absolute.
  static Home at(const std::filesystem::path& root);

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path runs() const { return root_ / "runs"; }
  std::filesystem::path folder(std::string_view id) const { return runs() / id; }
  std::filesystem::path log(std::string_view id) const;

  // Takes a new id: makes its folder, and the home when it is missing. The id
  // has 4 characters, more after collisions.
  base::Result<std::string> create_run(Disk& disk) const;

  // Names of all folders that may be recordings, in no order. Symbolic links do
  // not count. A home that is not there yet has none.
  base::Result<std::vector<std::string>> ids() const;
  // Whether `id` is one of them.
  bool has(std::string_view id) const;

 private:
  explicit Home(std::filesystem::path root) : root_(std::move(root)) {}
  std::filesystem::path root_;
};

}  // namespace flatout::store
