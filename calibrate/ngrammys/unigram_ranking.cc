#include "calibrate/ngrammys/unigram_ranking.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace outrider::calibrate {
namespace {

// Rows in the order of the file.
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::int64_t kBlock = 1024;  // rows held as floats at a time

/// Calls `use(first, rows)` with all rows of a matrix, block by block.
template <typename Use>
void for_blocks(const model::Weight& weight, const Use& use) {
  Rows rows;
  for (std::int64_t first = 0; first < weight.rows; first += kBlock) {
    rows.resize(std::min(kBlock, weight.rows - first), weight.columns);
    for (std::int64_t r = 0; r < rows.rows(); ++r) weight.read_row(first + r, rows.row(r).data());
    use(first, rows);
  }
}

Eigen::MatrixXf uncentred_covariance(const model::Weight& v) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(v.columns, v.columns);
  for_blocks(v, [&sum](std::int64_t, const Rows& rows) {
    const Eigen::MatrixXf products = rows.transpose() * rows;
    sum += products.cast<double>();
  });
  return (sum / static_cast<double>(v.rows)).cast<float>();
}

Eigen::RowVectorXf mean_row(const model::Weight& u) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(u.columns);
  for_blocks(
      u, [&sum](std::int64_t, const Rows& rows) { sum += rows.cast<double>().colwise().sum(); });
  return (sum / static_cast<double>(u.rows)).cast<float>();
}

}  // namespace

std::vector<std::string> unigram_measure_names() { return {"distance", "inner"}; }

const char* name_of(UnigramMeasure measure) {
  return measure == UnigramMeasure::kDistance ? "distance" : "inner";
}

UnigramMeasure unigram_measure_of(const std::string& name) {
  if (name == "distance") return UnigramMeasure::kDistance;
  if (name == "inner") return UnigramMeasure::kInner;
  throw std::logic_error("unigram measure: no such name");
}

std::vector<double> unigram_scores(const model::Model& model, UnigramMeasure measure) {
  const Eigen::MatrixXf c = uncentred_covariance(model.embedding);
  const Eigen::RowVectorXf mean = mean_row(model.head);
  std::vector<double> scores(static_cast<std::size_t>(model.head.rows));
  for_blocks(model.head, [&](std::int64_t first, const Rows& rows) {
    Eigen::VectorXf of_rows;
    if (measure == UnigramMeasure::kDistance) {
      const Rows apart = rows.rowwise() - mean;
      of_rows = (apart * c).cwiseProduct(apart).rowwise().sum();
    } else {
      of_rows = rows * (c * mean.transpose());
    }
    std::copy(of_rows.begin(), of_rows.end(), scores.begin() + first);
  });
  return scores;
}

std::vector<Token> rank_unigrams(const model::Model& model, UnigramMeasure measure) {
  const std::vector<double> scores = unigram_scores(model, measure);
  std::vector<Token> ranking(scores.size());
  std::iota(ranking.begin(), ranking.end(), 0);
  std::stable_sort(ranking.begin(), ranking.end(), [&scores](Token a, Token b) {
    return scores[static_cast<std::size_t>(a)] < scores[static_cast<std::size_t>(b)];
  });
  return ranking;
}

}  // namespace outrider::calibrate
