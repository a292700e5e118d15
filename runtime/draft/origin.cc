#include "runtime/draft/origin.h"

#include <stdexcept>

namespace outrider::draft {

const char* name_of(Source source) {
  switch (source) {
    case Source::kNone:
      return "none";
    case Source::kContext:
      return "context";
    case Source::kBigram:
      return "bigram";
    case Source::kUnigram:
      return "unigram";
    case Source::kModel:
      return "model";
    case Source::kRecycled:
      return "recycled";
    case Source::kReference:
      return "reference";
    case Source::kForced:
      return "forced";
  }
  throw std::logic_error("name_of: no such source");
}

}  // namespace outrider::draft
