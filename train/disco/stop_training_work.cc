#include "train/disco/stop_training_work.h"

#include <fmt/core.h>

#include <bit>

#include "runtime/base/interrupted.h"

namespace outrider::train {
namespace {

constexpr double kSecondsKept = 5;  // between two states of a training

// An entry has the number of a training, its passes so far, and the halves of each number of its state.
constexpr std::size_t kHead = 2;

}  // namespace

StopTrainingWork::StopTrainingWork(const std::filesystem::path& artifact, const std::string& set,
                                   const std::string& work, Watch& watch)
    : watch_(watch), journal_(fmt::format("{}.disco-{}.part", artifact.string(), set), work) {
  for (const data::Journal::Entry& entry : journal_.kept()) {
    if (entry.size() != kHead + 2 * FitState::kNumbers || entry[1] < 1) journal_.refuse();
    FitState& state = states_[entry[0]];
    state = {entry[1], {}};
    for (std::size_t i = kHead; i < entry.size(); i += 2)
      state.numbers.push_back(
          std::bit_cast<double>(std::uint64_t{static_cast<std::uint32_t>(entry[i])} << 32 |
                                static_cast<std::uint32_t>(entry[i + 1])));
  }
}

std::int64_t StopTrainingWork::epochs_done() const {
  std::int64_t done = 0;
  for (const auto& [number, state] : states_) done += state.epochs;
  return done;
}

FitResumed StopTrainingWork::resumed(int number, int epochs) {
  return {states_[number], [this, number, epochs](const FitState& now) {
            states_[number] = now;
            watch_.show(epochs_done());
            const bool ends = watch_.interrupted();
            if (now.epochs == epochs || ends || since_kept_.seconds() >= kSecondsKept)
              keep(number, now);
            if (ends) throw Interrupted();
          }};
}

void StopTrainingWork::keep(int number, const FitState& state) {
  data::Journal::Entry entry = {number, state.epochs};
  for (const double one : state.numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(one);
    entry.push_back(static_cast<std::int32_t>(bits >> 32));
    entry.push_back(static_cast<std::int32_t>(bits & 0xffffffff));
  }
  journal_.append(entry);
  since_kept_ = Stopwatch();
}

}  // namespace outrider::train
