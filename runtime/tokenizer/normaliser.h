#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// The normalisation of text before it is split into words.
class Normaliser {
 public:
  explicit Normaliser(std::vector<NormalStep> steps) : steps_(std::move(steps)) {}

  /// The normalised text, for valid UTF-8: a view of `text` if nothing changes, else of `storage`.
  std::string_view apply(std::string_view text, std::string& storage) const;

 private:
  std::vector<NormalStep> steps_;
};

/// `text` with every `from`, which is not empty, replaced by `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace outrider::text
