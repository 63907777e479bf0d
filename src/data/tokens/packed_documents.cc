#include "data/tokens/packed_documents.h"

#include <array>

#include "data/tokens/array_maker.h"
#include "data/tokens/number_kernels.h"
#include "data/tokens/part_writer.h"
#include "data/tokens/token_windows.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

Result<std::unique_ptr<PackedDocuments>> PackedDocuments::make(TokenStream stream,
                                                               const Documents& documents,
                                                               const DocumentPackOptions& options) {
  if (options.length < 1 || options.length > kMostWindowTokens || !is_token_output(options.out)) {
    return base::fail(ErrorCode::kInvalid, "pack: a length of " + std::to_string(options.length) +
                                               " is not in 1 to " +
                                               std::to_string(kMostWindowTokens));
  }
  PackPlan plan = plan_packing(documents, options.length, options.method);
  return std::unique_ptr<PackedDocuments>(
      new PackedDocuments(std::move(stream), std::move(plan), options));
}

std::string PackedDocuments::name(std::int64_t index) const {
  return stream_.name(plan_.pieces[first_piece(index)].begin);
}

std::vector<ArrayPart> PackedDocuments::parts(std::int64_t /*first*/) const {
  std::vector<ArrayPart> out;
  for (const char* name : {"inputs", "targets", "segments", "positions"})
    out.push_back({name, options_.out, {options_.length}});
  return out;
}

std::size_t PackedDocuments::most_sample_bytes() const { return 4 * parts(0).front().bytes(); }

std::unique_ptr<SampleMaker> PackedDocuments::maker(std::shared_ptr<const ArraySource> set) const {
  return std::make_unique<ArrayMaker<PackedDocuments>>(std::move(set), *this);
}

void PackedDocuments::fetch(std::int64_t index, ArrayWork& work) const {
  const PackedPiece& piece = plan_.pieces[first_piece(index)];
  work.fetch(stream_, piece.begin, piece.tokens);
}

Result<void> PackedDocuments::write(std::int64_t index, const BatchPlace& at,
                                    ArrayWork& work) const {
  const NumberKernels& kernels = best_number_kernels();
  const ElementType from = stream_.type();
  const ElementType to = options_.out;
  const std::size_t each = bytes_of(to);
  const auto length = static_cast<std::size_t>(options_.length);
  PartWriter parts(at);
  std::byte* inputs = parts.next(length * each);
  std::byte* targets = parts.next(length * each);
  std::byte* segments = parts.next(length * each);
  std::byte* positions = parts.next(length * each);
  const auto end = static_cast<std::size_t>(plan_.ends[static_cast<std::size_t>(index)]);
  std::size_t done = 0;
  std::int64_t segment = 0;
  for (std::size_t i = first_piece(index); i < end; ++i) {
    const PackedPiece& piece = plan_.pieces[i];
    const auto tokens = static_cast<std::size_t>(piece.tokens);
    const std::size_t targeted = piece.goes_on ? tokens : tokens - 1;
    const auto in = work.take(stream_, piece.begin, targeted + 1);
    if (!in) return std::unexpected(in.error());
    work.into(&StageSums::read);
    const std::size_t offset = done * each;
    auto written = write_tokens(kernels, from, *in, tokens, to, inputs + offset);
    if (written) {
      written = write_tokens(kernels, from, *in + bytes_of(from), targeted, to, targets + offset);
    }
    if (!written)
      return base::fail(written.error().code, name(index) + ": " + written.error().message);
    if (!piece.goes_on) kernels.fill(options_.ignore, 1, to, targets + offset + targeted * each);
    kernels.fill(++segment, tokens, to, segments + offset);
    kernels.ascend(tokens, to, positions + offset);
    done += tokens;
    work.into(&StageSums::transform);
  }
  const std::size_t empty = length - done;
  const std::size_t offset = done * each;
  kernels.fill(options_.pad, empty, to, inputs + offset);
  kernels.fill(options_.ignore, empty, to, targets + offset);
  kernels.fill(0, empty, to, segments + offset);
  kernels.fill(0, empty, to, positions + offset);
  work.into(&StageSums::transform);
  return {};
}

}  // namespace flatout::data
