#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/store/store_identity.h"
#include "runtime/base/token.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::data {

/// Ragged lists, concatenated: list i is values[offsets[i], offsets[i + 1]).
template <typename T>
struct Ragged {
  std::vector<T> values;
  std::vector<std::int64_t> offsets = {0};

  template <typename List>
  void push(const List& list) {
    values.insert(values.end(), list.begin(), list.end());
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  std::size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    return std::span(values).subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
  }
};

/// Numbers in a file, shuffled and deflated. @param columns  of a matrix; 0: a list
template <typename T>
void write_packed(hdf5::Writer& file, const std::string& path, const std::vector<T>& values,
                  std::uint64_t columns = 0) {
  const hdf5::Dims dims =
      columns == 0 ? hdf5::Dims{values.size()} : hdf5::Dims{values.size() / columns, columns};
  file.add(path, dims, std::span<const T>(values), hdf5::Packing::kPacked);
}

/// Token ids, of two bytes where the vocabulary allows it.
void write_tokens(hdf5::Writer& file, const std::string& path, const std::vector<Token>& tokens,
                  const StoreIdentity& identity, std::uint64_t columns = 0);

/// Texts, as "bytes" and "offsets" below a path.
void write_texts(hdf5::Writer& file, const std::string& path, const Ragged<std::uint8_t>& texts);

/// Lists of token ids, as "tokens" and "offsets" below a path.
void write_token_lists(hdf5::Writer& file, const std::string& path, const Ragged<Token>& lists,
                       const StoreIdentity& identity);

// Reading them checks shapes, offsets and ids. All throw an InputError naming file and dataset.

std::vector<Token> read_tokens(const hdf5::Reader& file, const std::string& path,
                               const hdf5::Dims& dims, const StoreIdentity& identity);
Ragged<std::uint8_t> read_texts(const hdf5::Reader& file, const std::string& path,
                                std::size_t texts);
/// None of the lists is empty.
Ragged<Token> read_token_lists(const hdf5::Reader& file, const std::string& path, std::size_t lists,
                               const StoreIdentity& identity);

}  // namespace outrider::data
