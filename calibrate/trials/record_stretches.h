#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "calibrate/trials/stretches.h"
#include "data/journal/journal.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/watch.h"

namespace outrider::calibrate {

// What a drafter drafts at the positions of texts, recorded once for all settings that are replayed on it.

/// The positions of stretches.
std::int64_t positions_of(const std::vector<Stretch>& stretches);

/// Predicts the time of recording at the positions of stretches from that at the first of them.
/// @param record  (stretch) -> its record
template <typename Record>
double seconds_to_record(const std::vector<Stretch>& stretches, const Record& record) {
  constexpr std::size_t kSample = 8;  // positions
  Stretch sample = stretches.front();
  sample.end = std::min(sample.end, sample.first + kSample);
  const Stopwatch watch;
  record(sample);
  return watch.seconds() * static_cast<double>(positions_of(stretches)) /
         static_cast<double>(sample.end - sample.first);
}

/// Says how long it takes to record a drafter at the positions of stretches, as far as that is left to do.
/// @param what     "trees recorded at temperature 0"
/// @param journal  of those that are recorded already
/// @param record   (stretch) -> its record
template <typename Record>
void announce_recording(const std::string& what, const std::vector<Stretch>& stretches,
                        const data::Journal& journal, Watch& watch, const Record& record) {
  const std::vector<Stretch> left = journal.left_of(stretches);
  if (!watch.is_heard() || left.empty()) return;
  watch.plan({{fmt::format("{} {}", positions_of(left), what), seconds_to_record(left, record)}});
}

/// Records a drafter at the positions of stretches.
/// @param what    of the progress
/// @param record  (stretch) -> its record
/// @return [stretches]
/// @throws Interrupted
template <typename Record>
auto record_stretches(const std::vector<Stretch>& stretches, const std::string& what, Watch& watch,
                      const Record& record) {
  watch.begin(what, positions_of(stretches));
  std::vector<std::invoke_result_t<Record, const Stretch&>> recorded;
  std::int64_t done = 0;
  for (const Stretch& one : stretches) {
    if (watch.interrupted()) throw Interrupted();
    recorded.push_back(record(one));
    watch.show(done += static_cast<std::int64_t>(one.end - one.first));
  }
  watch.end();
  return recorded;
}

/// Does the same, continuing after the records in a journal; its part alone where it is one.
/// @throws PartDone once all of that are recorded
/// @param restore  (entry, stretch) -> its record; nothing for an entry that is none
template <typename Record, typename Restore>
auto record_stretches(const std::vector<Stretch>& stretches, const std::string& what, Watch& watch,
                      data::Journal& journal, const Record& record, const Restore& restore) {
  std::size_t next = 0;
  if (journal.is_part()) {
    record_stretches(journal.left_of(stretches), what, watch, [&](const Stretch& one) {
      journal.append(entry_of(record(one)));
      return true;
    });
    journal.end_part();
  }
  return record_stretches(stretches, what, watch, [&](const Stretch& one) {
    if (next < journal.kept().size()) {
      auto restored = restore(journal.kept()[next++], one);
      if (!restored) journal.refuse();
      return *std::move(restored);
    }
    auto recorded = record(one);
    journal.append(entry_of(recorded));
    return recorded;
  });
}

/// The stretches of a temperature's answers.
/// @param data  the traces' folder, for the message
/// @throws InputError where there are none
std::vector<Stretch> stretches_at(double temperature, const std::vector<const Answer*>& answers,
                                  int positions, std::size_t last, const std::string& data);

}  // namespace outrider::calibrate
