#include "runtime/artifacts/stored_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/model/finite_weights.h"
#include "runtime/model/trim_head.h"

namespace outrider::artifacts {
namespace {

using model::Weight;
using model::WeightType;

constexpr WeightType kTypes[] = {WeightType::kF32, WeightType::kQ8_0, WeightType::kQ4_1};
constexpr std::size_t kMostTypeName = 16;
constexpr const char* kOfTarget = "target";  // in place of the type of a head that is not stored

std::uint64_t unsigned_of(std::int64_t count) { return static_cast<std::uint64_t>(count); }

}  // namespace

void check_type(const Weight& weight, WeightType type) {
  if (weight.type != type || std::count(std::begin(kTypes), std::end(kTypes), type) != 1)
    throw std::logic_error(
        fmt::format("{}: expected weights of one type, F32, Q8_0 or Q4_1", weight.name));
}

void append_rows(const Weight& matrix, std::vector<std::uint8_t>& out) {
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(matrix.row(r));
    out.insert(out.end(), row, row + matrix.row_bytes());
  }
}

void write_matrix(const Weight& matrix, hdf5::Writer& file, const std::string& path) {
  std::vector<std::uint8_t> bytes;
  append_rows(matrix, bytes);
  const auto rows = unsigned_of(matrix.rows);
  file.add<std::uint8_t>(path, {rows, bytes.size() / rows}, bytes, hdf5::Packing::kPlain);
}

void write_head(const model::Model& model, hdf5::Writer& file, const std::string& group,
                bool shared) {
  const std::vector<Token> tokens = model.tokens_of_head();
  if (std::ssize(tokens) != model.head.rows)
    throw std::logic_error("write_head: expected a token for each row of the head");
  file.add<std::int32_t>(group + "/head_tokens", {tokens.size()}, tokens, hdf5::Packing::kPacked);
  if (shared) return file.add_text(group + "/head_type", kOfTarget);
  check_type(model.head, model.head.type);
  file.add_text(group + "/head_type", model::type_name(model.head.type));
  write_matrix(model.head, file, group + "/head");
}

WeightType read_weight_type(const hdf5::Reader& file, const std::string& path) {
  const std::string found = file.read_text(path, kMostTypeName);
  for (const WeightType type : kTypes)
    if (found == model::type_name(type)) return type;
  file.refuse(path, fmt::format("expected F32, Q8_0 or Q4_1, found {}", found));
}

std::vector<Weight> StoredWeights::matrices(const std::string& path, WeightType type,
                                            std::size_t count, std::int64_t rows,
                                            std::int64_t columns) const {
  const Weight shape = shape_of(path, type, rows, columns);
  return keep(
      shape, count,
      file_.read<std::uint8_t>(path, {count, unsigned_of(rows), unsigned_of(shape.row_bytes())}));
}

Weight StoredWeights::matrix(const std::string& path, WeightType type, std::int64_t rows,
                             std::int64_t columns) const {
  const Weight shape = shape_of(path, type, rows, columns);
  return keep(shape, 1,
              file_.read<std::uint8_t>(path, {unsigned_of(rows), unsigned_of(shape.row_bytes())}))
      .front();
}

std::vector<Weight> StoredWeights::norms(const std::string& path, std::size_t count,
                                         int width) const {
  return keep(shape_of(path, WeightType::kF32, 1, width), count,
              file_.read<float>(path, {count, unsigned_of(width)}));
}

void StoredWeights::read_head(const std::string& group, const model::Model& target) const {
  const int vocab = owner_.config.vocab;
  auto tokens = file_.read<std::int32_t>(group + "/head_tokens", {hdf5::Reader::kAny});
  const bool ascend =
      std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()) == tokens.end();
  if (tokens.empty() || !ascend || tokens.front() < 0 || tokens.back() >= vocab)
    file_.refuse(group + "/head_tokens",
                 fmt::format("expected tokens of the target's {}, ascending, found {}", vocab,
                             ends_of(tokens)));
  if (file_.read_text(group + "/head_type", kMostTypeName) == kOfTarget) {
    owner_.head = target.head;
    model::trim_head(tokens, owner_);
  } else {
    owner_.head = matrix(group + "/head", read_weight_type(file_, group + "/head_type"),
                         std::ssize(tokens), owner_.config.width);
  }
  owner_.head_tokens.clear();
  if (std::ssize(tokens) < vocab) owner_.head_tokens = std::move(tokens);
}

/// `count` weights of one shape, which share the bytes of one dataset.
template <typename T>
std::vector<Weight> StoredWeights::keep(const Weight& shape, std::size_t count,
                                        const std::vector<T>& values) const {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const auto kept = owner_.keep(std::move(bytes));
  const std::size_t size = kept.size() / count;
  std::vector<Weight> weights(count, shape);
  for (std::size_t i = 0; i < count; ++i) {
    weights[i].bytes = kept.subspan(i * size, size);
    if (const auto row = model::first_row_not_finite(weights[i]))
      file_.refuse(
          shape.name,
          fmt::format("expected finite numbers, found one that is NaN or infinite, in row {}",
                      *row));
  }
  return weights;
}

Weight StoredWeights::shape_of(const std::string& path, WeightType type, std::int64_t rows,
                               std::int64_t columns) const {
  if (columns % model::block_shape(type).numbers != 0)
    file_.refuse(path,
                 fmt::format("expected rows of a multiple of {} for {}, found {}",
                             model::block_shape(type).numbers, model::type_name(type), columns));
  return {
      .name = path, .type = type, .rows = rows, .columns = columns, .bytes = {}, .row_order = {}};
}

}  // namespace outrider::artifacts
