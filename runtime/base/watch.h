#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/notices.h"

namespace outrider {

/// A part of long work, and its time as far as a sample of it tells.
struct PlannedPart {
  std::string what;  // "44 answers tried, of 9,120 tokens"
  double seconds = 0;
};

/// Who waits for work that may take minutes: what the work asks and tells. This one never ends it and hears nothing.
class Watch {
 public:
  virtual ~Watch() = default;

  /// From here on the work asks `interrupted`; until then there is nothing to keep.
  virtual void listen() {}
  /// Whether the work is to end, by Interrupted, with all that is done kept. Cheap, and asked often.
  virtual bool interrupted() { return false; }

  /// Whether anybody reads what is told: what takes time to find out is else left out.
  virtual bool is_heard() const { return false; }
  /// The parts of the work, before any of it is done.
  virtual void plan(const std::vector<PlannedPart>& /*parts*/) {}
  /// A part begins, in place of the one before.
  /// @param what    is counted: "answers"
  /// @param before  of the total, done by earlier starts
  virtual void begin(const std::string& /*what*/, std::int64_t /*total*/,
                     std::int64_t /*before*/ = 0) {}
  /// @param done  of the part's total
  /// @param note  for people: "812 tokens/s"
  virtual void show(std::int64_t /*done*/, const std::string& /*note*/ = "") {}
  /// The part ends, whether all of it is done or not.
  virtual void end() {}

  /// A sentence on what was done or loaded.
  virtual void inform(const std::string& /*sentence*/) {}
  /// A sentence on what is wrong, but does not stop the work.
  virtual void warn(const std::string& /*sentence*/) {}
  /// This one, to who knows notices only. It must outlive them.
  Notices notices() {
    return {[this](const std::string& text) { inform(text); },
            [this](const std::string& text) { warn(text); }};
  }
};

}  // namespace outrider
