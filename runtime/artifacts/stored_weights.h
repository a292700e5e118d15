#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"
#include "runtime/model/model.h"

namespace outrider::artifacts {

// Trained weights in a group: matrices as the bytes that they are, in F32, Q8_0 or Q4_1, norms as floats.

/// @throws std::logic_error for weights of another type than `type`, or of one that is not stored
void check_type(const model::Weight& weight, model::WeightType type);
/// Stores a matrix as a dataset [rows, bytes of a row]: rows in their order, whatever that of the bytes is.
void write_matrix(const model::Weight& matrix, hdf5::Writer& file, const std::string& path);
/// Its rows' bytes, after those of others.
void append_rows(const model::Weight& matrix, std::vector<std::uint8_t>& out);
/// Stores a head and its tokens as GROUP/head, GROUP/head_type and GROUP/head_tokens.
/// @param shared  the head is the target's own rows: its type is "target", and there is no GROUP/head
/// @throws std::logic_error unless there is a token for each row, and for other types
void write_head(const model::Model& model, hdf5::Writer& file, const std::string& group,
                bool shared = false);

/// @throws InputError for another type than those that are stored
model::WeightType read_weight_type(const hdf5::Reader& file, const std::string& path);

/// Reads weights of a group into the model that keeps their bytes. Everything throws InputError for datasets of
/// another shape, and for numbers that are not finite.
class StoredWeights {
 public:
  /// Both must outlive it.
  StoredWeights(const hdf5::Reader& file, model::Model& owner) : file_(file), owner_(owner) {}

  /// Matrices of one shape, of a dataset [count, rows, bytes of a row].
  std::vector<model::Weight> matrices(const std::string& path, model::WeightType type,
                                      std::size_t count, std::int64_t rows,
                                      std::int64_t columns) const;
  /// One, of a dataset as write_matrix stores it.
  model::Weight matrix(const std::string& path, model::WeightType type, std::int64_t rows,
                       std::int64_t columns) const;
  /// Vectors, of a dataset [count, width].
  std::vector<model::Weight> norms(const std::string& path, std::size_t count, int width) const;
  /// Gives the model the head of a group and its tokens, which may be all of the vocabulary.
  /// @param target  whose rows the head is where the group does not hold it; the model keeps its files and buffers
  void read_head(const std::string& group, const model::Model& target) const;

 private:
  template <typename T>
  std::vector<model::Weight> keep(const model::Weight& shape, std::size_t count,
                                  const std::vector<T>& values) const;
  model::Weight shape_of(const std::string& path, model::WeightType type, std::int64_t rows,
                         std::int64_t columns) const;

  const hdf5::Reader& file_;
  model::Model& owner_;
};

}  // namespace outrider::artifacts
