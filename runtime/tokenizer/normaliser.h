#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// What a tokenizer does to a text before it cuts it into words.
class Normaliser {
 public:
  explicit Normaliser(std::vector<NormalStep> steps) : steps_(std::move(steps)) {}

  /// The text, valid UTF-8, in normal form: a view of it where nothing is done, else of `storage`.
  std::string_view apply(std::string_view text, std::string& storage) const;

 private:
  std::vector<NormalStep> steps_;
};

/// `text` with every `from`, which is not empty, replaced by `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace outrider::text
