#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/methods/method.h"

namespace outrider::methods {

/// The results of `calibrate ngrammys` for the target.
struct LoadedNgrams {
  draft::TablesPtr tables;
  std::shared_ptr<const artifacts::ArtifactSet> known;
};

/// @param method     for the message
/// @param artifacts  the setting; set to the file that was found
/// @throws InputError when there is no artifact file of the target, or the one named is of another
LoadedNgrams load_ngrams(const MethodTarget& target, const std::string& method,
                         std::string& artifacts);

/// Gives settings without a value those of the trials of `calibrate ngrammys`: find_calibrated_trials. Without trials, one
/// draft of one token, whose row hardly costs anything. They are of ngrammys, but rows cost the same for all methods.
/// @param method        whose settings these are
/// @param artifacts     the setting; empty: those in checkpoints/
/// @param draft_length  nullptr: all its drafts are of one token
void resolve_shape(const MethodTarget& target, const std::string& artifacts, Method& method,
                   std::optional<int>& drafts, std::optional<int>* draft_length);

/// The default of --draft-length by `resolve_shape`, for the help.
inline constexpr const char* kUncalibratedShape = "1 where nothing was calibrated";

/// @param most  that the tables keep
/// @throws InputError
void check_drafts(int drafts, int most);

}  // namespace outrider::methods
