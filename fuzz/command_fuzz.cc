// Any bytes as the command line and environment of a process of the run, words
// that end with 0 and an empty one between both: what is to be started, what
// /proc says of it later, and what of it is stored.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launch/hook_loss.h"
#include "launch/secrets.h"
#include "scratch.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = text.find('\0');
    words.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch proc;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto gap = bytes.find(std::string_view("\0\0", 2));
  const auto command = bytes.substr(0, gap);
  const auto environ = gap == std::string_view::npos ? std::string_view{} : bytes.substr(gap + 2);
  const auto argv = words_of(command);
  const auto env = words_of(environ);
  if (launch::mask_secrets(argv).size() != argv.size()) std::abort();
  (void)launch::hook_loss_in_command(argv, env);
  (void)launch::hook_loss_in_process(7, "python3", argv, env, "/site");
  fuzz::write_file(proc.path() / "7" / "cmdline", command);
  fuzz::write_file(proc.path() / "7" / "environ", environ);
  if (launch::hook_losses_in_tree(7, "/site", proc.path()).size() > 1) std::abort();
  return 0;
}
