#include "runtime/artifacts/pair_counts_group.h"

#include <fmt/core.h>

namespace outrider::artifacts {
namespace {

constexpr std::int32_t kMostCount = 1 << 30;

/// @throws InputError unless all are from `least` on
void check_least(const hdf5::Reader& file, const std::string& path,
                 const std::vector<std::int32_t>& numbers, std::int32_t least) {
  for (const std::int32_t one : numbers)
    if (one < least || one > kMostCount)
      file.refuse(path, fmt::format("expected {} to {}, found {}", least, kMostCount, one));
}

}  // namespace

void write_pair_counts(const draft::PairCounts& pair_counts, hdf5::Writer& file,
                       const std::string& group) {
  std::vector<std::int32_t> sizes(static_cast<std::size_t>(pair_counts.vocab())), tokens, counts;
  for (const auto& [before, token, count] : pair_counts.pairs()) {
    ++sizes[static_cast<std::size_t>(before)];
    tokens.push_back(token);
    counts.push_back(count);
  }
  const auto add = [&](const char* name, const std::vector<std::int32_t>& numbers) {
    file.add<std::int32_t>(group + name, {numbers.size()}, numbers, hdf5::Packing::kPacked);
  };
  add("/occurrences", pair_counts.occurrences());
  add("/pairs", sizes);
  add("/tokens", tokens);
  add("/counts", counts);
}

draft::PairCounts read_pair_counts(const ArtifactFile& file) {
  const hdf5::Reader& reader = file.reader();
  const std::string group = kPairCounts;
  const auto vocab = static_cast<std::uint64_t>(file.target().vocab);
  const auto read = [&](const char* name, std::uint64_t size, std::int32_t least) {
    std::vector<std::int32_t> numbers = reader.read<std::int32_t>(group + name, {size});
    check_least(reader, group + name, numbers, least);
    return numbers;
  };
  std::vector<std::int32_t> occurrences = read("/occurrences", vocab, 0);
  const std::vector<std::int32_t> sizes = read("/pairs", vocab, 0);
  const std::vector<std::int32_t> tokens = read("/tokens", hdf5::Reader::kAny, 0);
  const std::vector<std::int32_t> counts = read("/counts", tokens.size(), 1);
  std::vector<draft::PairCounts::Pair> pairs;
  pairs.reserve(tokens.size());
  for (std::size_t before = 0; before < sizes.size(); ++before) {
    for (std::int32_t i = 0; i < sizes[before]; ++i) {
      const std::size_t at = pairs.size();
      if (at == tokens.size())
        reader.refuse(group + "/pairs", "has more pairs of a token than there are");
      const Token token = tokens[at];
      if (token >= file.target().vocab)
        reader.refuse(group + "/tokens", fmt::format("expected tokens below {}, found {}",
                                                     file.target().vocab, token));
      if (i > 0 && token <= pairs.back().token)
        reader.refuse(group + "/tokens", "expected the tokens after a token in ascending order");
      if (counts[at] > occurrences[before] ||
          counts[at] > occurrences[static_cast<std::size_t>(token)])
        reader.refuse(group + "/counts", "a pair is more frequent than its tokens");
      pairs.push_back({static_cast<Token>(before), token, counts[at]});
    }
  }
  if (pairs.size() != tokens.size())
    reader.refuse(group + "/pairs",
                  fmt::format("expected {} pairs, found {}", tokens.size(), pairs.size()));
  return {std::move(occurrences), pairs};
}

}  // namespace outrider::artifacts
