// Whose a function of Python is, by the name that PyTorch's profiler gives it:
// "train.py(57): step", "torch/nn/modules/module.py(1501): _call_impl",
// "<built-in method item of Tensor object at 0x7f...>", "nn.Module: Linear_0".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flatout::analyse {

enum class PythonCode : std::uint8_t {
  kOwn,      // the program's
  kLibrary,  // of PyTorch, of a known library, installed, or Python's own
  kNoFile,   // a built-in, a module's call
};

// The profiler cuts the folders of sys.path off, so that a script that bears the name of a module
// of Python's own counts as that.
PythonCode python_code(std::string_view name);

// "train.py:57" and "step": of a function with a file, else empty. The line is that at which the
// function begins.
struct PythonPlace {
  std::string at;
  std::string function;
};
PythonPlace python_place(std::string_view name);

// "item" of "<built-in method item of Tensor object at 0x7f...>", else empty.
std::string_view built_in_name(std::string_view name);

}  // namespace flatout::analyse
