// What the name of a range says of it. A name is words: what is no letter parts them, and so does a
// capital that follows a small letter, or that begins one ("trainStep", "HTTPBatch").
//
//   kStep   a word is step, iter, iteration, batch or minibatch, or one of these behind "train"
//           ("trainstep"), and none says that it is less than a step: micro, sub, inner, time (a
//           time step of a recurrent network), norm ("batch_norm")
//   kNone   a word has "epoch", is "val", or begins with eval, valid or test
//   kOther  all else
//
// Whole words, since "iterator", "stepper" and "batched" are none, and "retrieval" and "latest" are
// neither an evaluation nor a test. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace flatout::run {

enum class RangeName : std::uint8_t { kOther, kStep, kNone };

RangeName range_name(std::string_view name);

}  // namespace flatout::run
