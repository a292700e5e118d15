#include "train/disco/stop_choice.h"

namespace outrider::train {

std::vector<StopTraining> StopChoice::trainings(double temperature) const {
  std::vector<StopTraining> all;
  for (const StopInputs read : kStopInputs) {
    if (inputs != "faster" && inputs != name_of(read)) continue;
    // Soft labels of coupled drafts are means over the noise, of which the drawn token tells nothing; rejection's are
    // of that token.
    const bool can_be_soft = read == StopInputs::kPaper || verify == "rejection";
    // At temperature 0 both labels are the same event.
    const bool is_soft = label == "soft" || (label == "faster" && temperature > 0);
    if (label == "faster" || label == "hard") all.push_back({"hard", read});
    if (can_be_soft && is_soft) all.push_back({"soft", read});
    // The distance between two distributions says nothing of the token that was drawn.
    const bool is_distance = label == "faster" || label == "tv";
    if (read == StopInputs::kPaper && is_distance) all.push_back({"tv", read});
  }
  const std::vector<StopTraining> of_token = all;
  if (rule == "path") all.clear();
  if (rule != "token")
    for (StopTraining one : of_token) {
      one.along_path = true;
      all.push_back(one);
    }
  return all;
}

std::vector<StopTraining> StopChoice::published() const {
  std::vector<StopTraining> all;
  for (const char* of_paper : {"hard", "tv"})
    if (label == of_paper || (label != "hard" && label != "tv"))
      all.push_back(StopTraining::published(of_paper));
  return all;
}

}  // namespace outrider::train
