#pragma once

#include <cstdint>

#include "runtime/decode/decode_loop.h"

namespace outrider::study {

/// Sums over decoded texts.
struct DecodeSums {
  std::int64_t tokens = 0;  // without the first tokens, which prefills give
  std::int64_t passes = 0;  // of the target
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;
  std::int64_t draft_passes = 0;  // of a draft model
  double seconds = 0;             // of decoding, without prefills

  void add(const decode::DecodeResult& result);
  void add(const DecodeSums& others);
  /// 1 where there was no pass, as with plain decoding.
  double tokens_per_call() const;
  double tokens_per_second() const;
};

}  // namespace outrider::study
