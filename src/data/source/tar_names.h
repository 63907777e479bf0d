// How WebDataset cuts a member's name into a sample and its part, and reads a label. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::data {

// The name of a sample that a member belongs to, and which part of it it is: "a/00012.seg.png" ->
// "a/00012", "seg.png" in lower case. The name is cut at the first dot after its last slash.
struct TarName {
  std::string_view key;
  std::string part;
};

// Absent: the member is of no sample, as WebDataset has it: its name has no dot or begins with one,
// or its first folder is one of "__notes__". (A name that begins with a dot is a part of "folder/"
// where it lies in a folder without one.)
std::optional<TarName> split_tar_name(std::string_view name);

// A part's own ending: "png" of "seg.png" and of "png".
std::string_view ending_of(std::string_view part);

// That the engine takes for a sample's picture.
constexpr std::array<std::string_view, 8> kDecodedPictures = {"jpg", "jpeg", "png", "ppm",
                                                              "pgm", "pbm",  "pnm", "webp"};
bool is_decoded_picture(std::string_view ending);
bool is_other_picture(std::string_view ending);

// As Python's int() reads the bytes: blanks around it, a sign, single underscores between digits.
// Absent where it is no such number, or one of more than 64 bits.
std::optional<std::int64_t> label_in(std::string_view text);

}  // namespace flatout::data
