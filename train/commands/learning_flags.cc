#include "train/commands/learning_flags.h"

namespace outrider::train {

double LearningFlags::share_of_hard() const {
  if (loss == "kl") return 0;
  return loss == "hard" ? 1 : hard_share;
}

void declare_learning_flags(cli::CommandOptions& command, LearningFlags& flags) {
  command
      .add_option("--loss", flags.loss,
                  "kl: divergence from the target's probabilities; hard: cross-entropy with its "
                  "tokens; both")
      .check(cli::one_of({"kl", "hard", "both"}));
  command.add_option("--hard-share", flags.hard_share, "Weight of the hard labels with --loss both")
      .check(cli::real_number(0, 1));
  command.refuse_unless(
      {"hard-share"}, [&flags] { return flags.loss == "both"; }, "only with --loss both");
  command
      .add_option("--max-context", flags.most_context,
                  "Most prompt tokens kept as context, the last ones; 0: all")
      .check(cli::whole_number(0, 1 << 24));
  command
      .add_option(
          "--precision", flags.precision,
          "Matrix products in training: f32, bf16, or auto: bf16 where the processor has them")
      .check(cli::one_of(precision_names()));
  command
      .add_option("--quantise", flags.quantise,
                  "Type of the resulting layers and head: q8_0, q4_1 or none (f32)")
      .check(cli::one_of({"q8_0", "q4_1", "none"}));
}

}  // namespace outrider::train
