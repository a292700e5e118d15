#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/decode/batch.h"
#include "runtime/inference/generation.h"

namespace outrider {

/// Sums over the texts of a run.
class Figures {
 public:
  void add(const inference::GeneratedText& text);

  /// "prefill 812 tokens/s, decode 95.3 tokens/s, 1.84 tokens per pass, drafted 120, accepted 74,
  /// peak memory 712 MB"; of a draft model also how its rounds ended, and what came
  /// from a reference
  std::string line() const;

  /// The same of texts that shared passes, whose own times cannot be added: "16 texts, 8 at a time: 2,431 prompt tokens
  /// and 1,024 new ones in 6.1 s, 167.9 new tokens/s, 1.84 tokens per pass and text, 14.1 rows per pass, …"
  std::string line(int sequences, const decode::BatchStats& stats, double seconds) const;

 private:
  std::string rounds() const;

  std::int64_t texts_ = 0;
  std::int64_t prefilled_tokens_ = 0;
  std::int64_t decoded_tokens_ = 0;  // without the first of each text
  std::int64_t passes_ = 0;
  std::int64_t drafted_ = 0;
  std::int64_t accepted_ = 0;
  std::int64_t cut_rounds_ = 0;
  std::map<std::string, std::int64_t> counts_;  // of the drafter
  draft::RowStats rows_;
  double prefill_seconds_ = 0;
  double decode_seconds_ = 0;
};

}  // namespace outrider
