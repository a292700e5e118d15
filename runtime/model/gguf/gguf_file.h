#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/model/gguf/gguf_tensor.h"
#include "runtime/model/gguf/gguf_value.h"

namespace outrider::model {

/// The container format: metadata and tensors of a GGUF file (version 2 or 3), uninterpreted. Only names
/// and numbers are copied; views point into the parsed bytes.
class GgufFile {
 public:
  /// Checks all that does not depend on the model: lengths against the bytes left, before anything is
  /// allocated; duplicate names; types; that the data of tensors are aligned, inside the file and do
  /// not overlap.
  /// @param name  of the file, for messages
  /// @throws InputError with the location, what was expected and what was found
  static GgufFile parse(std::span<const std::byte> bytes, const std::string& name);

  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }
  const std::vector<std::pair<std::string, GgufValue>>& metadata() const { return metadata_; }
  /// nullptr if there is no such key.
  const GgufValue* find(std::string_view key) const;
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  /// How many files it is of: see open_gguf.
  int parts() const { return parts_; }

  /// Adds the tensors of a further part of the same model.
  /// @throws InputError for a tensor that is there already
  void add_part(const GgufFile& part);

 private:
  std::string name_;
  std::uint32_t version_ = 0;
  std::vector<std::pair<std::string, GgufValue>> metadata_;
  std::map<std::string, std::size_t, std::less<>> index_;  // into `metadata_`
  std::vector<GgufTensor> tensors_;
  int parts_ = 1;
};

}  // namespace outrider::model
