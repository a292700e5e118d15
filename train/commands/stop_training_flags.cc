#include "train/commands/stop_training_flags.h"

namespace outrider::train {

std::vector<StopTraining> StopTrainingFlags::trainings(double temperature) const {
  const bool any_inputs = inputs == "faster", any_label = label == "faster";
  std::vector<StopTraining> all;
  // At temperature 0 both labels are the same event.
  if (any_inputs || inputs == "paper") {
    if (any_label || label == "hard") all.push_back({"hard"});
    if (label == "soft" || (any_label && temperature > 0)) all.push_back({"soft"});
  }
  if (any_inputs || inputs == "drawn") {
    if (label != "soft") all.push_back({"hard", true});
    // Soft labels of coupled drafts are means over the noise, of which the drawn token tells nothing; rejection's are
    // of that token.
    if (label != "hard" && verify == "rejection" && temperature > 0) all.push_back({"soft", true});
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

void declare_stop_training_flags(cli::CommandOptions& command, StopTrainingFlags& flags) {
  command
      .add_option("--label", flags.label,
                  "hard: whether the draft's token is accepted; soft: the probability of that over "
                  "the sampling noise; faster: at each temperature what is predicted to be faster")
      .check(cli::one_of({"faster", "hard", "soft"}));
  command
      .add_option(
          "--inputs", flags.inputs,
          "paper: ten probabilities, entropy and position; drawn: also which token was drawn, by "
          "its "
          "probability and, unless by rejection, how far its sum with the noise leads the second "
          "best; faster: what is "
          "predicted to be faster")
      .check(cli::one_of({"faster", "paper", "drawn"}));
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
        return flags.inputs != "drawn" || flags.verify == "rejection" || flags.label != "soft";
      },
      "drawn with soft labels only with --verify rejection");
}

}  // namespace outrider::train
