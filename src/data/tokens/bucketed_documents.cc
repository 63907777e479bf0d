#include "data/tokens/bucketed_documents.h"

#include <algorithm>
#include <functional>

#include "data/tokens/array_maker.h"
#include "data/tokens/bucket_plan.h"
#include "data/tokens/number_kernels.h"
#include "data/tokens/part_writer.h"
#include "data/tokens/token_windows.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

Result<std::unique_ptr<BucketedDocuments>> BucketedDocuments::make(TokenStream stream,
                                                                   Documents documents,
                                                                   const PadOptions& options) {
  const auto& lengths = options.lengths;
  const bool rising = std::ranges::adjacent_find(lengths, std::greater_equal{}) == lengths.end();
  if (lengths.empty() || lengths.size() > kMostBuckets || !rising || lengths.front() < 1 ||
      lengths.back() > kMostWindowTokens || !is_token_output(options.out)) {
    return base::fail(ErrorCode::kInvalid,
                      "pad_to_bucket: the lengths are not 1 to " + std::to_string(kMostBuckets) +
                          " rising numbers from 1 to " + std::to_string(kMostWindowTokens));
  }
  return std::unique_ptr<BucketedDocuments>(
      new BucketedDocuments(std::move(stream), std::move(documents), options));
}

std::size_t BucketedDocuments::bucket_of(std::int64_t index) const {
  const auto found = std::ranges::lower_bound(options_.lengths, documents_.at(index).tokens);
  return std::min(static_cast<std::size_t>(found - options_.lengths.begin()),
                  options_.lengths.size() - 1);
}

std::vector<ArrayPart> BucketedDocuments::parts(std::int64_t first) const {
  return {{"tokens", options_.out, {options_.lengths[bucket_of(first)]}},
          {"lengths", options_.out, {}}};
}

std::size_t BucketedDocuments::most_sample_bytes() const {
  return static_cast<std::size_t>(options_.lengths.back() + 1) * bytes_of(options_.out);
}

std::unique_ptr<SampleMaker> BucketedDocuments::maker(
    std::shared_ptr<const ArraySource> set) const {
  return std::make_unique<ArrayMaker<BucketedDocuments>>(std::move(set), *this);
}

EpochPlan BucketedDocuments::plan(std::uint32_t epoch, const OrderOptions& options,
                                  std::size_t batch_size, bool drop_last,
                                  std::int64_t drawn) const {
  const auto order = epoch_order(size(), epoch, {.shuffle = options.shuffle, .seed = options.seed});
  return plan_buckets(
      order, [this](std::int64_t index) { return bucket_of(index); },
      {.buckets = options_.lengths.size(), .batch_size = batch_size, .drop_last = drop_last},
      options, drawn);
}

void BucketedDocuments::fetch(std::int64_t index, ArrayWork& work) const {
  const TokenSpan document = documents_.at(index);
  work.fetch(stream_, document.begin, std::min(document.tokens, options_.lengths.back()));
}

Result<void> BucketedDocuments::write(std::int64_t index, const BatchPlace& at,
                                      ArrayWork& work) const {
  const ElementType from = stream_.type();
  const std::size_t each = bytes_of(options_.out);
  const auto bucket = static_cast<std::size_t>(options_.lengths[bucket_of(index)]);
  const TokenSpan document = documents_.at(index);
  const auto tokens = std::min(bucket, static_cast<std::size_t>(document.tokens));
  const auto in = work.take(stream_, document.begin, tokens);
  if (!in) return std::unexpected(in.error());
  work.into(&StageSums::read);
  PartWriter parts(at);
  std::byte* const out = parts.next(bucket * each);
  const NumberKernels& kernels = best_number_kernels();
  auto written = write_tokens(kernels, from, *in, tokens, options_.out, out);
  kernels.fill(options_.pad, bucket - tokens, options_.out, out + tokens * each);
  kernels.fill(static_cast<std::int64_t>(tokens), 1, options_.out, parts.next(each));
  work.into(&StageSums::transform);
  if (!written)
    return base::fail(written.error().code, name(index) + ": " + written.error().message);
  return {};
}

}  // namespace flatout::data
