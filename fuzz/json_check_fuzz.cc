// What a C program gives as a config's JSON: whatever the check takes, the reader of facts takes.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "capi/track/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const auto parsed = nlohmann::json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (flatout::capi::is_json_object(input.data(), input.size()) && !parsed.is_object())
    std::abort();
  // Whatever it is as a text, it becomes one.
  flatout::capi::JsonText text;
  text.quoted(input.c_str(), input.size());
  const auto said = nlohmann::json::parse(std::string_view(text.data(), text.size()), nullptr,
                                          /*allow_exceptions=*/false);
  if (!said.is_string()) std::abort();
  return 0;
}
