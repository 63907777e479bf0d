#include "analyse/kernels/python_place.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace flatout::analyse {
namespace {

using Names = std::string_view;

// First folders of libraries' files behind a folder of sys.path.
constexpr auto kLibraries = std::to_array<Names>({"torch",
                                                  "torchvision",
                                                  "torchaudio",
                                                  "torchdata",
                                                  "functorch",
                                                  "triton",
                                                  "lightning",
                                                  "pytorch_lightning",
                                                  "lightning_fabric",
                                                  "lightning_utilities",
                                                  "transformers",
                                                  "trl",
                                                  "accelerate",
                                                  "deepspeed",
                                                  "timm",
                                                  "ignite",
                                                  "fastai",
                                                  "datasets",
                                                  "composer",
                                                  "webdataset",
                                                  "numpy",
                                                  "tqdm",
                                                  "flatout",
                                                  "_flatout_hooks",
                                                  "apex",
                                                  "torchmetrics",
                                                  "tensorboard",
                                                  "peft",
                                                  "diffusers",
                                                  "wandb",
                                                  "multiprocessing",
                                                  "concurrent",
                                                  "importlib",
                                                  "asyncio",
                                                  "unittest",
                                                  "logging",
                                                  "json",
                                                  "collections",
                                                  "ctypes",
                                                  "encodings",
                                                  "xml",
                                                  "http",
                                                  "email",
                                                  "urllib"});

// Modules of Python's own that stand between functions of a program.
constexpr auto kModules = std::to_array<Names>(
    {"abc.py",       "bdb.py",     "cProfile.py",    "codeop.py",    "contextlib.py",
     "copy.py",      "copyreg.py", "dataclasses.py", "enum.py",      "functools.py",
     "inspect.py",   "os.py",      "pickle.py",      "posixpath.py", "profile.py",
     "queue.py",     "random.py",  "re.py",          "runpy.py",     "selectors.py",
     "signal.py",    "socket.py",  "subprocess.py",  "tempfile.py",  "threading.py",
     "traceback.py", "types.py",   "typing.py",      "warnings.py",  "weakref.py"});

bool among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// "train.py", "57" and "step" of "train.py(57): step"; empty where it is no such name.
struct Parts {
  std::string_view file, line, function;
};

Parts parts_of(std::string_view name) {
  const std::size_t close = name.find("): ");
  if (close == std::string_view::npos) return {};
  const std::size_t open = name.rfind('(', close);
  if (open == std::string_view::npos || open == 0 || open + 1 == close) return {};
  const std::string_view line = name.substr(open + 1, close - open - 1);
  const bool digits = std::ranges::all_of(
      line, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  if (!digits) return {};
  return {name.substr(0, open), line, name.substr(close + 3)};
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// In an environment or an interpreter that sys.path names no folder of.
bool is_installed(std::string_view file) {
  return holds(file, "site-packages/") || holds(file, "dist-packages/") ||
         holds(file, "lib/python3");
}

}  // namespace

PythonCode python_code(std::string_view name) {
  const std::string_view file = parts_of(name).file;
  if (file.empty()) return PythonCode::kNoFile;
  if (file.starts_with('<') || is_installed(file)) return PythonCode::kLibrary;
  const std::size_t slash = file.find('/');
  if (slash == std::string_view::npos) {
    return among(kModules, file) ? PythonCode::kLibrary : PythonCode::kOwn;
  }
  return among(kLibraries, file.substr(0, slash)) ? PythonCode::kLibrary : PythonCode::kOwn;
}

PythonPlace python_place(std::string_view name) {
  const Parts parts = parts_of(name);
  if (parts.file.empty()) return {};
  return {std::string(parts.file) + ":" + std::string(parts.line), std::string(parts.function)};
}

std::string_view built_in_name(std::string_view name) {
  for (const std::string_view begin : {"<built-in method ", "<built-in function ", "<method '"}) {
    if (!name.starts_with(begin)) continue;
    name.remove_prefix(begin.size());
    return name.substr(0, name.find_first_of(" '>"));
  }
  return {};
}

}  // namespace flatout::analyse
