#pragma once

#include <optional>
#include <string>

#include "runtime/cost/draft_grid.h"
#include "runtime/draft/ngram/table_ngrams.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// The results of `calibrate ngrams` for the target.
struct LoadedNgrams {
  draft::TablesPtr tables;
  /// The fastest number and length of drafts on this machine, if measured; measured for ngrammys,
  /// but rows cost the same for all methods.
  std::optional<cost::DraftGrid::Cell> fastest;

  /// The setting's value, otherwise the fastest, otherwise the default.
  int drafts(std::optional<int> given) const;
  int draft_length(std::optional<int> given) const;
};

/// @param method     for the message
/// @param artifacts  the setting; set to the file that was found
/// @throws InputError when there is no artifact file of the target, or the one named is of another
LoadedNgrams load_ngrams(const MethodTarget& target, const std::string& method,
                         std::string& artifacts);

/// @param most  that the tables keep
/// @throws InputError
void check_drafts(int drafts, int most);

}  // namespace outrider::methods
