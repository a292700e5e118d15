#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/trace.h"
#include "train/parallelspec/least_squares.h"
#include "train/parallelspec/parallelspec_objective.h"

namespace outrider::train {

/// What a parallel drafter began with.
struct ParallelSpecFit {
  std::int64_t rows = 0;  // that it was fitted to
  double ridge = 0;       // of fc, EAGLE only, as what follows
  double explained = 0;   // by fc alone, of the variance of wanted states that were held out
};

/// How many tokens a drafter is fitted to: for each of fc's inputs as many as 32,768 are for a width of 576, and these at
/// least; where there is no fc, these.
std::int64_t tokens_to_fit(ParallelSpecObjective& objective);

/// Gives a drafter with a layer what it begins with. EAGLE's fc is solved by ridge least squares from the real rows'
/// inputs to the target's states of the next row; these are divided by the final norm's weight, if there is
/// one, as the residual stream is before it. The ridge is the one with which the others tell best what is wanted for the
/// traces of an eighth of the prompts. What the layer adds, attention and feed-forward network
/// each, is scaled to `added` of the residual stream's root mean square: the target's last layer writes into
/// a far longer stream. balance_layer then gives its weights similar sizes. Masks begin with the mean of what real rows
/// read, those of the first traces.
class ParallelSpecFitter {
 public:
  /// @param objective  must outlive it
  explicit ParallelSpecFitter(ParallelSpecObjective& objective) : objective_(objective) {}

  /// Reads more traces, with states, where the drafter reads any; memory is needed for these alone, and for the first.
  void add(std::span<const data::Trace> traces);

  /// Gives the drafter all this. @throws InputError if there are too few tokens
  ParallelSpecFit finish(double added = 0.15);

 private:
  /// Reads the rows of the traces that are held out, or of the others. @return how many there are
  std::int64_t add_rows(std::span<const data::Trace> traces, bool held_out);
  /// Scales what the layer adds to the residual stream.
  void scale_layer(double added);

  ParallelSpecObjective& objective_;
  std::size_t traces_ = 0;
  std::vector<data::Trace> first_;  // on which what the layer adds is measured
  std::int64_t rows_ = 0;
  LeastSquares fitted_, held_out_;
};

/// Begins the masks alone as a ParallelSpecFitter does: of a drafter whose layer was trained without, or of one for
/// export.
void fit_masks(ParallelSpecObjective& objective, std::span<const data::Trace> traces);

}  // namespace outrider::train
