// toml++ as every stage uses it: header only, so that nothing of it is linked.
// Its assertions are errors here in every build: 3.3.0 meets them on some bad
// input ("[[[", tomlplusplus pull request 301), and a release build of it would
// go on with what it then assumes.
#pragma once

#include <stdexcept>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : throw std::logic_error("not TOML"))
#pragma push_macro("NDEBUG")
#undef NDEBUG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#ifndef __clang__  // in accessors that bad text does not reach
#pragma GCC diagnostic ignored "-Wterminate"
#endif
#include <toml++/toml.h>
#pragma GCC diagnostic pop
#pragma pop_macro("NDEBUG")
