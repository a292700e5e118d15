#include "data/store/ragged.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"

namespace outrider::data {
namespace {

/// Reads offsets of lists in `values` numbers: ascending from 0 to `values`.
std::vector<std::int64_t> read_offsets(const hdf5::Reader& file, const std::string& path,
                                       std::size_t lists, std::size_t values,
                                       std::int64_t least_length) {
  auto offsets = file.read<std::int64_t>(path, {lists + 1});
  if (offsets.front() != 0) {
    file.refuse(path, fmt::format("expected the first offset to be 0, found {}", offsets.front()));
  }
  for (std::size_t i = 0; i < lists; ++i) {
    // Both are checked against the end first, so that the difference cannot overflow.
    if (offsets[i + 1] >= 0 && offsets[i + 1] <= static_cast<std::int64_t>(values) &&
        offsets[i + 1] - offsets[i] >= least_length) {
      continue;
    }
    file.refuse(path, fmt::format("expected ascending offsets up to {}; offset {} is {} after {}",
                                  values, i + 1, offsets[i + 1], offsets[i]));
  }
  if (offsets.back() != static_cast<std::int64_t>(values)) {
    file.refuse(path,
                fmt::format("expected the last offset to be {}, the number of values, found {}",
                            values, offsets.back()));
  }
  return offsets;
}

}  // namespace

void write_tokens(hdf5::Writer& file, const std::string& path, const std::vector<Token>& tokens,
                  const StoreIdentity& identity, std::uint64_t columns) {
  if (!tokens_are_short(identity)) return write_packed(file, path, tokens, columns);
  std::vector<std::uint16_t> narrow(tokens.size());
  std::transform(tokens.begin(), tokens.end(), narrow.begin(),
                 [](Token token) { return static_cast<std::uint16_t>(token); });
  write_packed(file, path, narrow, columns);
}

void write_texts(hdf5::Writer& file, const std::string& path, const Ragged<std::uint8_t>& texts) {
  write_packed(file, path + "/bytes", texts.values);
  write_packed(file, path + "/offsets", texts.offsets);
}

void write_token_lists(hdf5::Writer& file, const std::string& path, const Ragged<Token>& lists,
                       const StoreIdentity& identity) {
  write_tokens(file, path + "/tokens", lists.values, identity);
  write_packed(file, path + "/offsets", lists.offsets);
}

std::vector<Token> read_tokens(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims, const StoreIdentity& identity) {
  std::vector<Token> tokens;
  if (tokens_are_short(identity)) {
    const auto narrow = file.read<std::uint16_t>(path, dims);
    tokens.assign(narrow.begin(), narrow.end());
  } else {
    tokens = file.read<Token>(path, dims);
  }
  for (const Token token : tokens) {
    if (token >= 0 && token < identity.vocab) continue;
    file.refuse(
        path, fmt::format("expected token ids from 0 to {}, found {}", identity.vocab - 1, token));
  }
  return tokens;
}

Ragged<std::uint8_t> read_texts(const hdf5::Reader& file, const std::string& path,
                                std::size_t count) {
  Ragged<std::uint8_t> texts;
  texts.values = file.read<std::uint8_t>(path + "/bytes", {hdf5::Reader::kAny});
  texts.offsets = read_offsets(file, path + "/offsets", count, texts.values.size(), 0);
  return texts;
}

Ragged<Token> read_token_lists(const hdf5::Reader& file, const std::string& path, std::size_t count,
                               const StoreIdentity& identity) {
  Ragged<Token> lists;
  lists.values = read_tokens(file, path + "/tokens", {hdf5::Reader::kAny}, identity);
  lists.offsets = read_offsets(file, path + "/offsets", count, lists.values.size(), 1);
  return lists;
}

}  // namespace outrider::data
