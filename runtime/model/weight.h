#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace outrider::model {

/// The storage types of weights.
enum class WeightType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kQ2_K,
  kQ3_K,
  kIQ4_NL,
  kIQ4_XS,
  kMXFP4
};

/// The numbers per block and the bytes of a block, e.g. 32 and 20 for Q4_1.
struct BlockShape {
  int numbers;
  int bytes;
};

BlockShape block_shape(WeightType type);
const char* type_name(WeightType type);

/// Half of 2^(exponent - 127): the scale of a block of MXFP4 whose codes are doubled.
float mxfp4_scale(std::uint8_t exponent);

/// Converts `count` stored numbers, a multiple of the block, to floats, bit-equal to gguf-py.
void dequantise(WeightType type, const std::byte* source, std::int64_t count, float* out);

/// Converts rows of a matrix that its file stores in another layout than the engine reads.
class RowMaker {
 public:
  virtual ~RowMaker() = default;
  /// Writes a row in the layout of the weight's type. @param out  as many bytes as a row has
  virtual void make(std::int64_t row, std::byte* out) const = 0;
};

/// A matrix [rows, columns] as stored in its file (a vector has one row). Row r has the weights of
/// output r. The bytes are owned by the `Model`.
struct Weight {
  std::string name;  // as in the file, for messages
  WeightType type = WeightType::kF32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<const std::byte> bytes;
  std::vector<std::int32_t> row_order;  // [rows] the stored row of each row; empty: the same
  std::shared_ptr<const RowMaker> maker = nullptr;  // null: `bytes` have the rows as they are
  std::int64_t first_made = 0;                      // the maker's number of row 0

  std::int64_t row_bytes() const;
  /// The bytes of row r in the file. @throws std::logic_error where a maker converts them
  const std::byte* row(std::int64_t r) const;
  /// The bytes of row r of any weight. @param made  a buffer, used where a maker converts them
  const std::byte* row(std::int64_t r, std::vector<std::byte>& made) const;
  /// Row r as floats, [columns].
  void read_row(std::int64_t r, float* out) const;
};

}  // namespace outrider::model
