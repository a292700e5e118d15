#include "runtime/methods/shared_settings.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/methods/list.h"

namespace outrider::methods {

void visit_draft_length(SettingVisitor& visitor, std::optional<int>& value,
                        const std::string& method_help) {
  visitor.whole({.name = "draft-length",
                 .help = "tokens of a draft at most; without this flag the fastest number on this "
                         "machine by what calibration found, otherwise the method's",
                 .method_help = method_help},
                {0, kMostDraftLength}, value);
}

void visit_query(SettingVisitor& visitor, int& value) {
  visitor.whole({"query", "tokens looked up"}, {1, 64}, value);
}

void visit_drafts(SettingVisitor& visitor, std::optional<int>& value) {
  visitor.whole({"drafts",
                 "drafts at once, as one tree; without this flag the fastest number on this "
                 "machine by what `calibrate ngrammys` found, otherwise 1"},
                {1, draft::kMostDrafts}, value);
}

void visit_rows(SettingVisitor& visitor, bool& value) {
  visitor.flag({"rows", "drafts as rows that share nothing but the root, for comparison"}, value);
}

draft::TreeForm tree_form(bool rows) {
  return rows ? draft::TreeForm::kRows : draft::TreeForm::kMerged;
}

void visit_branches(SettingVisitor& visitor, int& value) {
  visitor.whole({"branches",
                 "sources to copy from at once, as one tree, where they disagree on the next "
                 "token; more than one gives more tokens per pass and, as far as measured, fewer "
                 "per second (results/pld_plus.md)"},
                {1, draft::kMostDrafts}, value);
}

void visit_artifacts(SettingVisitor& visitor, std::string& file) {
  visitor.text({"artifacts",
                "results of calibration, a file or a folder of them; what it lacks, and without "
                "this flag all, comes from the files in checkpoints/ that were made for the model",
                kFileValue},
               {}, file);
}

void resolve_fixed_length(std::optional<int>& draft_length) {
  draft_length = draft_length.value_or(kDraftLength);
  if (*draft_length > 0) return;
  throw InputError(
      fmt::format("--draft-length: expected at least 1; 0 is for {} with the layer or the heads "
                  "that calibration chose, where the artifact file has lengths for each step",
                  fmt::join(names_of(all_methods(), &Capabilities::chooses_lengths), " and ")));
}

}  // namespace outrider::methods
