#pragma once

#include <optional>
#include <string>

#include "runtime/cli/command_options.h"

namespace outrider::cli {

/// --draft and --draft-vocab of a command that loads a draft model without a method. Methods have settings of the same names
/// and meanings, so that decoding with the same flags has the same draft model.
/// @param draft  its file; empty: that of the artifacts
/// @param vocab  of a model from a file: methods::trim_to_drafts
/// @param use    half a sentence on what becomes of the choice; may be empty
/// @return --draft
Option declare_draft_flags(CommandOptions& command, std::string& draft, std::optional<int>& vocab,
                           const std::string& use = "");

}  // namespace outrider::cli
