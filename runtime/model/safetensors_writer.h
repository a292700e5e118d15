#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/output_file.h"
#include "runtime/hdf5/number_types.h"

namespace outrider::model {

/// Writes a safetensors file (github.com/huggingface/safetensors): an 8-byte length, a JSON header, the
/// tensors, widest numbers first. Tensors may be filled in pieces, in any interleaving.
class SafetensorsWriter {
 public:
  struct Tensor {
    std::string name;
    hdf5::NumberType type;
    hdf5::Dims dims;
    bool is_bool = false;  // kUint8 of 0 and 1
  };

  /// Keeps a reference.
  SafetensorsWriter(OutputFile& file, std::vector<Tensor> tensors,
                    const std::map<std::string, std::string>& metadata);

  /// Appends numbers to a tensor.
  template <typename T>
  void append(const std::string& name, std::span<const T> numbers) {
    append_bytes(name, hdf5::kNumberType<T>, std::as_bytes(numbers));
  }
  /// @throws std::logic_error if a tensor is not full
  void commit();

 private:
  struct Range {
    hdf5::NumberType type;
    std::uint64_t next;  // offset in the file
    std::uint64_t end;
  };
  void append_bytes(const std::string& name, hdf5::NumberType type,
                    std::span<const std::byte> bytes);

  OutputFile& file_;
  std::map<std::string, Range> ranges_;
};

}  // namespace outrider::model
