#include "train/commands/stop_training_flags.h"

namespace outrider::train {

std::vector<StopTraining> StopTrainingFlags::trainings(double temperature) const {
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

std::vector<StopTraining> StopTrainingFlags::published() const {
  std::vector<StopTraining> all;
  for (const char* of_paper : {"hard", "tv"})
    if (label == of_paper || (label != "hard" && label != "tv"))
      all.push_back(StopTraining::published(of_paper));
  return all;
}

void declare_stop_training_flags(cli::CommandOptions& command, StopTrainingFlags& flags) {
  command
      .add_option(
          "--label", flags.label,
          "hard: whether the draft's token is accepted; soft: the probability of that over "
          "the sampling noise; tv: 1 less the total variation distance between the "
          "distributions of draft and target, the loss of the paper's section 3; faster: at "
          "each temperature what is predicted to be faster. DISCO as published is trained "
          "with hard or tv labels")
      .check(cli::one_of({"faster", "hard", "soft", "tv"}));
  command
      .add_option(
          "--inputs", flags.inputs,
          "paper: ten probabilities, entropy and position; drawn: also which token was drawn, by "
          "its "
          "probability and, unless by rejection, how far its sum with the noise leads the second "
          "best; text: also whether that token followed the longest earlier occurrence of the "
          "text's last "
          "tokens; faster: what is predicted to be faster")
      .check(cli::one_of({"faster", "paper", "drawn", "text"}));
  command
      .add_option("--rule", flags.rule,
                  "The threshold is of a token's probability to be accepted, as in the paper "
                  "(token), or of that of "
                  "the draft so far, the product (path); faster: what is predicted to be faster")
      .check(cli::one_of({"faster", "token", "path"}));
  command
      .add_option(
          "--verify", flags.verify,
          "The verification that labels, thresholds and lengths are for, as in runtime decode")
      .check(cli::one_of({"coupled", "rejection"}));
  command.refuse_unless(
      {"inputs"},
      [&flags] {
        return flags.inputs == "faster" || flags.inputs == "paper" ||
               (flags.label != "tv" && (flags.label != "soft" || flags.verify == "rejection"));
      },
      "drawn and text not with tv labels, and with soft ones only with --verify rejection");
}

}  // namespace outrider::train
