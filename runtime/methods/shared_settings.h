#pragma once

#include <optional>
#include <string>

#include "runtime/draft/token_tree.h"
#include "runtime/methods/setting.h"

namespace outrider::methods {

/// Tokens of a draft where neither a setting nor a calibration says more.
inline constexpr int kDraftLength = 10;

// Settings that several methods have.

/// --draft-length. @param method_help  its meaning and default in the method: Setting::method_help
void visit_draft_length(SettingVisitor& visitor, std::optional<int>& value,
                        const std::string& method_help = {});
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
/// --artifacts
void visit_artifacts(SettingVisitor& visitor, std::string& file);

/// Resolves the length of drafts that are not chosen step by step.
/// @throws InputError for 0
void resolve_fixed_length(std::optional<int>& draft_length);

}  // namespace outrider::methods
