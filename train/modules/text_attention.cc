#include "train/modules/text_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <utility>

#include "train/modules/attention_pieces.h"

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Sizes are multiples on a processor because oneDNN compiles a product for every shape it meets. There a product's scores
// stay in the cache; a GPU has fewer launches the more is computed together.
constexpr PieceSizes kTextsOnProcessor = {.most_queries = 128,
                                          .query_multiple = 32,
                                          .key_multiple = 64,
                                          .most_padded = 1.1,
                                          .most_scores = 1 << 17};
constexpr PieceSizes kTextsOnGpu = {.most_queries = 1024,
                                    .query_multiple = 32,
                                    .key_multiple = 64,
                                    .most_padded = 2,
                                    .most_scores = 1 << 26};

/// The operands of a product over some pieces.
class TextOperands {
 public:
  TextOperands(const AttentionPieces& pieces, std::int64_t kv_heads, std::int64_t width)
      : pieces_(pieces), kv_heads_(kv_heads), width_(width) {}

  /// @param rows  [pieces * queries, heads, width]
  /// @return [kv_heads * pieces, queries * heads / kv_heads, width]
  at::Tensor queries(const at::Tensor& rows) const {
    const std::int64_t shared = rows.size(1) / kv_heads_;
    return by_key_head(rows, kv_heads_).view({-1, pieces_.queries * shared, width_});
  }
  /// The inverse: [pieces * queries, heads * width].
  at::Tensor query_rows(const at::Tensor& x) const {
    return by_row(x, kv_heads_, pieces_.pieces * pieces_.queries);
  }

 private:
  const AttentionPieces& pieces_;
  std::int64_t kv_heads_, width_;
};

struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const AttentionLayout& layout) {
    auto held = c10::make_intrusive<Held>(
        plan_pieces(layout, k.size(0), q.is_cpu() ? kTextsOnProcessor : kTextsOnGpu, q.device()));
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
    variable_list saved = {q, k, v}, outputs;
    for (const AttentionPieces& pieces : held->planned.all) {
      const TextOperands operands(pieces, k.size(1), k.size(2));
      const at::Tensor queries = operands.queries(q.index_select(0, pieces.query_rows)) * scale;
      at::Tensor scores = at::bmm(queries, pieces.keys_of(k).transpose(1, 2));
      pieces.hide_later(scores.view({k.size(1), pieces.pieces, pieces.queries, -1, pieces.keys}));
      saved.push_back(at::softmax(scores, -1));
      outputs.push_back(operands.query_rows(at::bmm(saved.back(), pieces.keys_of(v))));
    }
    const at::Tensor out = at::cat(outputs).index_select(0, held->planned.place);
    ctx->save_for_backward(saved);
    ctx->saved_data["planned"] = c10::IValue::make_capsule(std::move(held));
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const auto capsule = ctx->saved_data["planned"].toCapsule();
    const PlannedPieces& planned = static_cast<const Held&>(*capsule).planned;
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
    // Sums over pieces are kept in more than bf16.
    const auto sums = q.scalar_type() == at::kBFloat16 ? at::kFloat : q.scalar_type();
    const at::Tensor grad = grads[0].reshape(q.sizes());
    at::Tensor k_grad = at::zeros(k.sizes(), k.options().dtype(sums));
    at::Tensor v_grad = at::zeros_like(k_grad);
    variable_list q_grads;
    for (std::size_t i = 0; i < planned.all.size(); ++i) {
      const AttentionPieces& pieces = planned.all[i];
      const TextOperands operands(pieces, k.size(1), k.size(2));
      const at::Tensor& shares = saved[3 + i];
      const at::Tensor queries = operands.queries(q.index_select(0, pieces.query_rows)) * scale;
      const at::Tensor out_grad = operands.queries(pieces.gradients_of(grad));
      pieces.add_keys(at::bmm(shares.transpose(1, 2), out_grad), v_grad);
      const at::Tensor share_grad = at::bmm(out_grad, pieces.keys_of(v).transpose(1, 2));
      const at::Tensor score_grad =
          at::_softmax_backward_data(share_grad, shares, -1, q.scalar_type());
      pieces.add_keys(at::bmm(score_grad.transpose(1, 2), queries), k_grad);
      q_grads.push_back(operands.query_rows(at::bmm(score_grad, pieces.keys_of(k)).mul_(scale)));
    }
    const at::Tensor q_grad = at::cat(q_grads).index_select(0, planned.place).view(q.sizes());
    return {q_grad, k_grad.to(k.scalar_type()), v_grad.to(v.scalar_type()), at::Tensor()};
  }

 private:
  /// What autograd keeps for the backward pass besides tensors.
  struct Held : torch::CustomClassHolder {
    explicit Held(PlannedPieces pieces) : planned(std::move(pieces)) {}
    PlannedPieces planned;
  };
};

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionLayout& layout) {
  return Attention::apply(q, k, v, layout);
}

}  // namespace outrider::train
