#pragma once

#include <optional>
#include <string>

#include "runtime/cost/draft_grid.h"
#include "runtime/draft/ngram/table_ngrams.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What `calibrate ngrams` left for the target.
struct LoadedNgrams {
  draft::TablesPtr tables;
  /// The number and length of drafts that was the fastest on this machine, if that was found out; for
  /// ngrammys, but the price of rows is the same for all.
  std::optional<cost::DraftGrid::Cell> fastest;

  /// The setting's value, else the fastest, else the usual number.
  int drafts(std::optional<int> given) const;
  int draft_length(std::optional<int> given) const;
};

/// @param method     for the message
/// @param artifacts  the setting; becomes the file that was found
/// @throws InputError when there is no artifact file of the target, or the one named is of another
LoadedNgrams load_ngrams(const MethodTarget& target, const std::string& method,
                         std::string& artifacts);

/// @param most  that the tables keep
/// @throws InputError
void check_drafts(int drafts, int most);

}  // namespace outrider::methods
