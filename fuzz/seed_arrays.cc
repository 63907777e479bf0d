#include <string>

#include "base/little_endian.h"
#include "seed_file.h"
#include "seed_pictures.h"

namespace flatout::fuzz {
namespace {

std::string npy(char version, const std::string& dict, const std::string& numbers) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  if (version == 1) {
    base::append(out, static_cast<std::uint16_t>(dict.size() + 1));
  } else {
    base::append(out, static_cast<std::uint32_t>(dict.size() + 1));
  }
  return out + dict + "\n" + numbers;
}

}  // namespace

// A byte for the type of a flat file, then an array of each version, and an index; see npy_fuzz.cc.
bool write_npy_seeds(const std::string& folder) {
  const std::string type(1, '\2');
  std::string bounds;
  for (const std::int64_t bound : {0, 7, 7, 900}) base::append(bounds, bound);
  return write_file(folder + "/rows",
                    type + npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 2), }",
                               "abcdefghijkl")) &&
         write_file(
             folder + "/number",
             type + npy(2, "{\"shape\":(),\"descr\":\"|u1\",\"fortran_order\":False}", "a")) &&
         write_file(folder + "/columns",
                    type + npy(3, "{'descr': '<f8', 'fortran_order': True, 'shape': (1L,)}",
                               "12345678")) &&
         write_file(
             folder + "/index",
             type + npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }", bounds)) &&
         write_file(folder + "/flat", type + "tokens");
}

}  // namespace flatout::fuzz
