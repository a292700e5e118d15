#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/journal/journal.h"
#include "data/study/decode_sums.h"
#include "data/study/timed_round.h"
#include "runtime/base/watch.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/methods/method.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// Results of k drafts of w tokens over all prompts.
struct GridCell {
  int drafts = 0;  // k; 0: plain decoding
  int draft_length = 0;
  study::DecodeSums sums = {};
};

/// Numbers of drafts and their lengths.
struct TriedGrid {
  std::vector<int> drafts = {1, 2, 5, 10};
  std::vector<int> draft_lengths = {1, 2, 4, 8};
};

struct GridReport {
  std::string model, machine, numerics, isa;
  int threads = 1;
  std::string method;
  int prompts = 0;
  int max_new = 0;
  int starts = 1;  // of the command; each measured some of the texts with all cells in turn
  TriedGrid tried;
  GridCell plain;
  std::vector<GridCell> cells;  // [k, w]

  double speed_up(const GridCell& cell) const {
    return cell.sums.tokens_per_second() / plain.sums.tokens_per_second();
  }
};

/// Decodes every prompt plainly and with k drafts of w tokens for each k and w, in turns.
class GridStudy {
 public:
  using NewMethod = std::function<std::unique_ptr<methods::Method>()>;

  /// @param target, options, watch  must outlive it
  /// @param folders     as for methods::MethodTarget
  /// @param new_method  makes one with both --drafts and --draft-length, which are filled in here
  /// @param tried       the numbers of drafts and their lengths
  GridStudy(inference::Target& target, const artifacts::Folders& folders,
            const inference::GenerationOptions& options, const NewMethod& new_method,
            const TriedGrid& tried, Watch& watch);

  /// What all drafts depend on.
  const std::string& identity() const { return identity_; }

  /// Decodes the prompts' first turns, but for those of which the journal has a round.
  /// @throws CheckFailed should a text differ from the plain one; Interrupted
  const GridReport& run(const std::vector<text::PromptRecord>& prompts, data::Journal& journal);

 private:
  study::TimedRound measure(const text::PromptRecord& prompt, std::size_t first, int max_new,
                            const std::function<void()>& on_text);
  decode::DecodeResult decode(const text::PromptRecord& prompt, int max_new,
                              std::unique_ptr<draft::Drafter> drafter);
  void count(const study::TimedRound& round);

  inference::Target& target_;
  const inference::GenerationOptions& options_;
  GridReport report_;
  Watch& watch_;
  std::vector<methods::PreparedMethod> methods_;  // of the cells
  std::string identity_;
};

}  // namespace outrider::calibrate
