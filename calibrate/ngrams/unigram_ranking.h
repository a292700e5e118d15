#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// How likely a token is without any text, read off the embeddings alone. u are rows of the output
/// embedding, their mean is m, and C = V'V / |vocabulary| is the uncentred covariance of the input
/// embedding V. N-Grammys (Stewart et al. 2024), section 4.1 and appendix B.1.
enum class UnigramMeasure : std::uint8_t {
  kDistance,  // (u - m)' C (u - m): the closer, the likelier
  kInner,     // m' C u: the smaller, the likelier
};
std::vector<std::string> unigram_measure_names();
UnigramMeasure unigram_measure_of(const std::string& name);

/// The measure of every token, [vocab].
std::vector<double> unigram_scores(const model::Model& model, UnigramMeasure measure);

/// All tokens, the likeliest first; ties: the lowest id.
std::vector<Token> rank_unigrams(const model::Model& model, UnigramMeasure measure);

}  // namespace outrider::calibrate
