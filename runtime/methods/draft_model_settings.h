#pragma once

#include <optional>
#include <string>

#include "runtime/draft/drafter.h"
#include "runtime/methods/setting.h"

namespace outrider::methods {

/// Without flags a draft model drafts where it is predicted to be so many times as fast as plain decoding: predictions
/// are off by some percent, tasks differ by more, and a default must not lose.
inline constexpr double kLeastDraftSpeedUp = 1.1;

/// What all methods that draft with a trained model have. Of their flags, those below are declared here.
struct DraftModelSettings {
  std::string
      draft;  // GGUF file, Hugging Face folder or artifact file; empty: found in `artifacts`
  std::optional<int>
      draft_length;  // tokens, levels or depths of a draft at most; nothing: by the method
  std::optional<int> draft_vocab;    // of a model from a file: trim_to_drafts
  std::optional<int> draft_threads;  // nothing: the target's
  std::string verify = "coupled";    // or "rejection"
  std::string artifacts;             // file; empty: found
};

/// --draft. @param method_help  as of visit_draft_length
void visit_draft(SettingVisitor& visitor, std::string& file, const std::string& method_help = {});
/// --draft-threshold. @param method_help  as of visit_draft_length
void visit_draft_threshold(SettingVisitor& visitor, std::optional<double>& value,
                           const std::string& method_help);
/// --draft-vocab, of methods and of commands that load a draft model without one.
Setting draft_vocab_setting();
inline constexpr WholeRange kDraftVocabRange = {0, 1 << 20};
void visit_draft_vocab(SettingVisitor& visitor, std::optional<int>& value);
/// --draft-threads
void visit_draft_threads(SettingVisitor& visitor, std::optional<int>& value);
/// --verify: "coupled" or "rejection". @param method_help  as of visit_draft_length
void visit_verify(SettingVisitor& visitor, std::string& value, const std::string& method_help = {});
/// What --verify asks for.
draft::Verification verification(const std::string& verify);

}  // namespace outrider::methods
