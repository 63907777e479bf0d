// Documents packed into sequences of one length, told apart by numbers so that attention need not
// cross from one to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feed/array_source.h"
#include "data/tokens/documents.h"
#include "data/tokens/pack_plan.h"
#include "data/tokens/token_stream.h"

namespace flatout::data {

class ArrayWork;

struct DocumentPackOptions {
  std::int64_t length = 0;
  PackMethod method = PackMethod::kFirstFit;
  std::int64_t pad = 0;                   // the token of what is left empty
  std::int64_t ignore = -100;             // the target where there is none
  ElementType out = ElementType::kInt64;  // or kInt32
};

// A sample is a sequence; which documents lie in it is planned once, in the order of the stream,
// and is the same in each epoch. Parts, of `length` numbers each: "inputs"; "targets", the next
// token of the same document, `ignore` behind its last one; "segments", 1 for the first piece of
// the sequence, 2 for the second..., 0 where it is empty; "positions" in the piece.
class PackedDocuments final : public ArraySource {
 public:
  static base::Result<std::unique_ptr<PackedDocuments>> make(TokenStream stream,
                                                             const Documents& documents,
                                                             const DocumentPackOptions& options);

  std::int64_t size() const override { return plan_.sequences(); }
  std::string name(std::int64_t index) const override;
  std::vector<ArrayPart> parts(std::int64_t first) const override;
  std::size_t most_sample_bytes() const override;
  std::unique_ptr<SampleMaker> maker(std::shared_ptr<const ArraySource> set) const override;

  base::Result<void> write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const;
  void fetch(std::int64_t index, ArrayWork& work) const;

 private:
  PackedDocuments(TokenStream stream, PackPlan plan, const DocumentPackOptions& options)
      : stream_(std::move(stream)), plan_(std::move(plan)), options_(options) {}

  std::size_t first_piece(std::int64_t index) const {
    return index == 0 ? 0
                      : static_cast<std::size_t>(plan_.ends[static_cast<std::size_t>(index - 1)]);
  }

  TokenStream stream_;
  PackPlan plan_;
  DocumentPackOptions options_;
};

}  // namespace flatout::data
