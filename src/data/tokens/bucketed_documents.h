// Documents as samples, padded to the shortest of a few lengths that they fit into; a batch's
// samples have one length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feed/array_source.h"
#include "data/tokens/documents.h"
#include "data/tokens/token_stream.h"

namespace flatout::data {

class ArrayWork;

struct PadOptions {
  std::vector<std::int64_t> lengths;  // rising
  std::int64_t pad = 0;
  ElementType out = ElementType::kInt64;  // or kInt32
};

constexpr std::size_t kMostBuckets = 1024;

// A sample is a document; one that is longer than the longest bucket is cut to it. Parts: "tokens",
// as many as the bucket is long, and "lengths", how many of them are the document's.
class BucketedDocuments final : public ArraySource {
 public:
  static base::Result<std::unique_ptr<BucketedDocuments>> make(TokenStream stream,
                                                               Documents documents,
                                                               const PadOptions& options);

  std::int64_t size() const override { return documents_.size(); }
  std::string name(std::int64_t index) const override {
    return stream_.name(documents_.at(index).begin);
  }
  std::vector<ArrayPart> parts(std::int64_t first) const override;
  std::size_t most_sample_bytes() const override;
  std::unique_ptr<SampleMaker> maker(std::shared_ptr<const ArraySource> set) const override;
  bool batches_by_itself() const override { return true; }
  EpochPlan plan(std::uint32_t epoch, const OrderOptions& options, std::size_t batch_size,
                 bool drop_last, std::int64_t drawn) const override;

  base::Result<void> write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const;
  void fetch(std::int64_t index, ArrayWork& work) const;

 private:
  BucketedDocuments(TokenStream stream, Documents documents, const PadOptions& options)
      : stream_(std::move(stream)), documents_(std::move(documents)), options_(options) {}

  std::size_t bucket_of(std::int64_t index) const;

  TokenStream stream_;
  Documents documents_;
  PadOptions options_;
};

}  // namespace flatout::data
