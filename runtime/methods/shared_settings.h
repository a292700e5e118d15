#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/token_tree.h"
#include "runtime/methods/setting.h"

namespace outrider::methods {

/// Tokens of a draft where neither a setting nor a calibration says more.
inline constexpr int kDraftLength = 10;
/// Without flags a draft model drafts where it is predicted to be so many times as fast as plain decoding: predictions
/// are off by some percent, tasks differ by more, and a default must not lose.
inline constexpr double kLeastDraftSpeedUp = 1.1;

/// draft::CopyFirst.
struct CopyFirstSettings {
  bool on = false;
  std::optional<double> least_speed_up;     // of copies; nothing: that of the draft model
  std::vector<std::string> reference = {};  // files and folders to copy from too
};

/// What all methods that draft with a trained model have.
struct DraftModelSettings {
  std::string
      draft;  // GGUF file, Hugging Face folder or artifact file; empty: found in `artifacts`
  std::optional<int>
      draft_length;  // tokens, levels or depths of a draft at most; nothing: by the method
  std::optional<int> draft_threads;  // nothing: the target's
  std::string verify = "coupled";    // or "rejection"
  CopyFirstSettings copy_first;
  std::string artifacts;  // file; empty: found
};

// Settings that several methods have.

/// --draft-length. @param of_method  its meaning and default in the method: Setting::of_method
void visit_draft_length(SettingVisitor& visitor, std::optional<int>& value,
                        const std::string& of_method = {});
/// --query
void visit_query(SettingVisitor& visitor, int& value);
/// --drafts
void visit_drafts(SettingVisitor& visitor, std::optional<int>& value);
/// --rows
void visit_rows(SettingVisitor& visitor, bool& value);
/// The shape that --rows asks for.
draft::TreeForm tree_form(bool rows);
/// --branches
void visit_branches(SettingVisitor& visitor, int& value);
/// --draft. @param of_method  as of visit_draft_length
void visit_draft(SettingVisitor& visitor, std::string& file, const std::string& of_method = {});
/// --draft-threshold. @param of_method  as of visit_draft_length
void visit_draft_threshold(SettingVisitor& visitor, std::optional<double>& value,
                           const std::string& of_method);
/// --draft-threads
void visit_draft_threads(SettingVisitor& visitor, std::optional<int>& value);
/// --verify: "coupled" or "rejection". @param of_method  as of visit_draft_length
void visit_verify(SettingVisitor& visitor, std::string& value, const std::string& of_method = {});
/// What --verify asks for.
draft::Verification verification(const std::string& verify);
/// --reference
void visit_reference(SettingVisitor& visitor, std::vector<std::string>& files);
/// --copy-first, --copy-min-speed-up and --reference
void visit_copy_first(SettingVisitor& visitor, CopyFirstSettings& settings);
/// --guard: "on" or "off"; empty: by the method. @param of_method  as of visit_draft_length
void visit_guard(SettingVisitor& visitor, std::string& value, const std::string& of_method = {});
/// --artifacts
void visit_artifacts(SettingVisitor& visitor, std::string& file);

/// Resolves the length of drafts that are not chosen step by step.
/// @throws InputError for 0
void resolve_fixed_length(std::optional<int>& draft_length);

}  // namespace outrider::methods
