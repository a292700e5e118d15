#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/part_done.h"
#include "data/store/trace_store.h"

namespace outrider::calibrate {

/// The answers of traces with all that the target's choices depended on, from the first on.
/// @param limit  answers at most; 0: all
std::vector<Answer> read_traced_answers(const data::TraceStore& store, int limit);

/// Answers by their temperature; they must outlive the result.
std::map<double, std::vector<const Answer*>> answers_by_temperature(
    const std::vector<Answer>& answers);

/// Does the work of every temperature, whose journals are separate.
/// @param work  (temperature, answers)
/// @throws PartDone once all has been tried, if any of them ended so
template <typename Work>
void for_each_temperature(const std::map<double, std::vector<const Answer*>>& answers,
                          const Work& work) {
  std::string done;
  for (const auto& [temperature, some] : answers) {
    try {
      work(temperature, some);
    } catch (const data::PartDone& part) {
      done += (done.empty() ? "" : "\n") + std::string(part.what());
    }
  }
  if (!done.empty()) throw data::PartDone(done);
}

}  // namespace outrider::calibrate
