#include "data/tokens/npy_header.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/little_endian.h"

namespace flatout::data {
namespace {

constexpr const char* kDict = "{'descr': '<u2', 'fortran_order': False, 'shape': (3, 4), }";

std::string npy(const std::string& dict, char version = 1) {
  std::string out(kNpyMagic);
  out += version;
  out += '\0';
  if (version == 1) base::append(out, static_cast<std::uint16_t>(dict.size()));
  if (version != 1) base::append(out, static_cast<std::uint32_t>(dict.size()));
  return out + dict;
}

TEST(NpyHeader, EachVersionInAnyOrderAndQuoting) {
  for (const auto& [text, shape] :
       {std::pair<std::string, std::vector<std::int64_t>>{npy(kDict), {3, 4}},
        {npy(std::string(kDict) + "   \n", 2), {3, 4}},
        {npy("{\"shape\":(5,),\"descr\":\"<u2\",\"fortran_order\":False}", 3), {5}},
        {npy("{'shape': (7L, 0), 'fortran_order': False, 'descr': '=u2'}"), {7, 0}},
        {npy("{'descr': '<u2', 'fortran_order': False, 'shape': ()}"), {}}}) {
    const auto header = parse_npy_header(text + "numbers");
    ASSERT_TRUE(header) << text << header.error().message;
    EXPECT_EQ(header->shape, shape);
    EXPECT_EQ(header->type, ElementType::kUint16);
    EXPECT_EQ(header->data_offset, text.size());
    std::int64_t elements = 1;
    for (const std::int64_t axis : shape) elements *= axis;
    EXPECT_EQ(header->elements, elements);
  }
}

TEST(NpyHeader, EveryTypeHasItsName) {
  for (const ElementTypeFacts& facts : kElementTypes) {
    const std::string dict =
        std::string("{'descr': '") + facts.descr + "', 'fortran_order': False, 'shape': (2,), }";
    EXPECT_EQ(name_of(parse_npy_header(npy(dict))->type), facts.name);
    EXPECT_EQ(element_type_named(facts.name), parse_npy_header(npy(dict))->type);
  }
}

TEST(NpyHeader, AllThatIsCutOffIsAnError) {
  const std::string whole = npy(kDict);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse_npy_header(whole.substr(0, length))) << length;
}

TEST(NpyHeader, WhatIsWrongIsSaid) {
  const auto with = [](const std::string& descr, const std::string& shape) {
    return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}");
  };
  for (const auto& [text, part] :
       {std::pair<std::string, std::string>{npy(kDict, 4), "version 4"},
        {npy(std::string(70000, ' '), 2), "too long"},
        {with("'>u2'", "(3,)"), "little-endian"},
        {with("'<u3'", "(3,)"), "little-endian"},
        {with("'|O'", "(3,)"), "little-endian"},
        {with("[('a', '<u2')]", "(3,)"), "one array"},
        {with("'<u2'", "(3, -1)"), "one array"},
        {with("'<u2'", "(1, 2, 3, 4, 5, 6, 7, 8, 9)"), "one array"},
        {with("'<u2'", "(99999999999999999999999,)"), "one array"},
        {with("'<u2'", "(4000000000, 4000000000)"), "larger than any file"},
        {with("'<u2'", "3"), "one array"},
        {npy("{'descr': '<u2', 'shape': (3,)}"), "one array"},
        {npy("{'descr': '<u2', 'fortran_order': False, 'shape': (3,), 'x': 1}"), "one array"},
        {npy(std::string(kDict) + "x"), "one array"},
        {npy("{'descr': '<u2', 'fortran_order': True, 'shape': (3,)}"), "Fortran"}}) {
    const auto header = parse_npy_header(text);
    ASSERT_FALSE(header) << text.substr(0, 100);
    EXPECT_NE(header.error().message.find(part), std::string::npos) << header.error().message;
  }
}

}  // namespace
}  // namespace flatout::data
