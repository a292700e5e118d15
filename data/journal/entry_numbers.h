#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "data/journal/journal.h"

namespace outrider::data {

/// Puts numbers into an entry of a journal.
class EntryWriter {
 public:
  EntryWriter& add(std::int32_t number) {
    entry_.push_back(number);
    return *this;
  }
  EntryWriter& add(float number) { return add(std::bit_cast<std::int32_t>(number)); }
  EntryWriter& add(double number) {
    const auto halves = std::bit_cast<std::array<std::int32_t, 2>>(number);
    return add(halves[0]).add(halves[1]);
  }
  EntryWriter& add(std::size_t count) { return add(static_cast<std::int32_t>(count)); }

  const Journal::Entry& entry() const { return entry_; }

 private:
  Journal::Entry entry_;
};

/// Takes them out again, in the same order. Beyond the end it gives zeros and is not `ok`.
class EntryReader {
 public:
  explicit EntryReader(std::span<const std::int32_t> entry) : left_(entry) {}

  std::int32_t integer() {
    if (left_.empty()) {
      ok_ = false;
      return 0;
    }
    const std::int32_t number = left_.front();
    left_ = left_.subspan(1);
    return number;
  }
  float real() { return std::bit_cast<float>(integer()); }
  double long_real() {
    const std::int32_t first = integer();
    return std::bit_cast<double>(std::array<std::int32_t, 2>{first, integer()});
  }
  /// A number of things that take at least `each` numbers; 0 where there are not so many left.
  std::size_t count(std::size_t each) {
    const std::int32_t found = integer();
    const bool fits = found >= 0 && static_cast<std::size_t>(found) * each <= left_.size();
    ok_ = ok_ && fits;
    return fits ? static_cast<std::size_t>(found) : 0;
  }

  /// Whether the entry held what was taken.
  bool ok() const { return ok_; }
  /// ... and no more.
  bool is_at_end() const { return ok_ && left_.empty(); }

 private:
  std::span<const std::int32_t> left_;
  bool ok_ = true;
};

}  // namespace outrider::data
