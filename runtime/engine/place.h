#pragma once

#include <cstdint>
#include <string>

namespace outrider::engine {

/// What an engine computes on. Keys of artifacts, records and certificates name it, since times are those of one place;
/// bits are the same on all.
struct Place {
  enum class Kind : std::uint8_t { kProcessor, kGpu };

  Kind kind = Kind::kProcessor;
  std::string name;  // machine_name() for a processor, else the card's name
  std::string unit;  // the instruction set, "avx512", or the compute capability, "sm_90"

  /// The kind in records: "cpu" or "cuda".
  const char* device() const { return kind == Kind::kGpu ? "cuda" : "cpu"; }

  /// In records of how a result was made: "AMD EPYC (family 25, model 17), avx512"; empty for none.
  std::string text() const { return name.empty() ? "" : name + ", " + unit; }

  /// Of Engine::workers: "2 threads", "132 multiprocessors".
  std::string workers_text(int workers) const {
    return std::to_string(workers) + (kind == Kind::kGpu ? " multiprocessors" : " threads");
  }

  friend bool operator==(const Place&, const Place&) = default;
};

}  // namespace outrider::engine
