#include "runtime/methods/draft_model_settings.h"

#include "runtime/engine/engine_options.h"

namespace outrider::methods {

void visit_draft(SettingVisitor& visitor, std::string& file, const std::string& method_help) {
  visitor.text(
      {"draft",
       "the draft model: a GGUF file or a Hugging Face folder with the target's tokens, or an "
       "artifact file (*.h5); without this flag the one that was trained for the target",
       kFileValue, method_help},
      {}, file);
}

void visit_draft_threshold(SettingVisitor& visitor, std::optional<double>& value,
                           const std::string& method_help) {
  visitor.real({.name = "draft-threshold",
                .help = "drafting stops below this probability, 0: never, above 1: at once",
                .method_help = method_help},
               {0, 2}, value);
}

Setting draft_vocab_setting() {
  return {
      "draft-vocab",
      "of a draft model from another file than artifacts: it drafts the most frequent so many "
      "tokens of the target's answers, by the counts of `calibrate pair-counts`; 0: all its "
      "tokens; without this flag the tokens that occurred, where a pass gets cheaper by at least "
      "four times the share of further tokens that would be new; else all"};
}

void visit_draft_vocab(SettingVisitor& visitor, std::optional<int>& value) {
  visitor.whole(draft_vocab_setting(), kDraftVocabRange, value);
}

void visit_draft_threads(SettingVisitor& visitor, std::optional<int>& value) {
  visitor.whole(
      {"draft-threads",
       "threads of the draft model: 1, which can be faster for a small one, or the target's; "
       "without this flag those that calibration found faster on this machine, or the target's"},
      {1, engine::kMostThreads}, value);
}

void visit_verify(SettingVisitor& visitor, std::string& value, const std::string& method_help) {
  visitor.text({.name = "verify",
                .help = "coupled: the draft samples with the target's noise, and the text equals "
                        "plain decoding's; rejection: speculative sampling as published, with "
                        "independent noise, which keeps only the distribution of texts",
                .method_help = method_help},
               {"coupled", "rejection"}, value);
}

draft::Verification verification(const std::string& verify) {
  return verify == "rejection" ? draft::Verification::kRejection : draft::Verification::kCoupled;
}

}  // namespace outrider::methods
