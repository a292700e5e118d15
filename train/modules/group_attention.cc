#include "train/modules/group_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <limits>
#include <utility>

#include "train/modules/attention_pieces.h"

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Sizes as those of attention to texts.
constexpr PieceSizes kGroupsOnProcessor = {.most_queries = 32,
                                           .query_multiple = 16,
                                           .key_multiple = 64,
                                           .most_padded = 1.1,
                                           .most_scores = 1 << 14};
constexpr PieceSizes kGroupsOnGpu = {.most_queries = 256,
                                     .query_multiple = 16,
                                     .key_multiple = 64,
                                     .most_padded = 2,
                                     .most_scores = 1 << 24};

/// The five tensors, and the shape that they have in common.
struct GroupTensors {
  at::Tensor q, k, v, mask_k, mask_v;

  std::int64_t slots() const { return q.size(1); }
  std::int64_t masks() const { return mask_k.size(1); }
  std::int64_t kv_heads() const { return k.size(1); }
  std::int64_t shared() const { return q.size(2) / k.size(1); }  // query heads of a key head
  std::int64_t width() const { return q.size(3); }
  double scale() const { return 1 / std::sqrt(static_cast<double>(width())); }
};

/// A tensor over all keys in two parts: the keys of the text, and those of the group's masks.
struct Parts {
  at::Tensor of_text;   // [kv_heads * pieces, queries, keys]
  at::Tensor of_masks;  // [kv_heads * groups, shared * slots, masks]
};

/// The operands of a product over some pieces, whose queries are groups, of each shared * slots.
class GroupOperands {
 public:
  GroupOperands(const GroupTensors& of, const AttentionPieces& pieces)
      : of_(of), pieces_(pieces), groups_(pieces.pieces * pieces.queries) {}

  /// @param x  [groups, slots, heads, width]; @return [kv_heads * pieces, queries, width]
  at::Tensor queries(const at::Tensor& x) const {
    return x.view({groups_, of_.slots(), of_.kv_heads(), of_.shared(), of_.width()})
        .permute({2, 0, 3, 1, 4})
        .reshape({-1, pieces_.queries * per_group(), of_.width()})
        .contiguous();  // where each key head has one query head, the shape needs no copy
  }
  /// The inverse.
  at::Tensor query_rows(const at::Tensor& x) const {
    return x.view({of_.kv_heads(), groups_, of_.shared(), of_.slots(), of_.width()})
        .permute({1, 3, 0, 2, 4})
        .reshape({groups_, of_.slots(), -1, of_.width()});
  }
  at::Tensor queries_of(const at::Tensor& q) const {
    return queries(q.index_select(0, pieces_.query_rows)) * of_.scale();
  }
  /// @param x  [all groups, masks, kv_heads, width]; @return [kv_heads * groups, masks, width]
  at::Tensor masks_of(const at::Tensor& x) const {
    return x.index_select(0, pieces_.query_rows)
        .permute({2, 0, 1, 3})
        .reshape({of_.kv_heads() * groups_, of_.masks(), of_.width()});
  }
  /// The inverse: [groups, masks, kv_heads, width].
  at::Tensor mask_rows(const at::Tensor& x) const {
    return x.view({of_.kv_heads(), groups_, of_.masks(), of_.width()})
        .permute({1, 2, 0, 3})
        .contiguous();
  }
  /// Queries by the group that they are of: [kv_heads * groups, shared * slots, width].
  at::Tensor by_group(const at::Tensor& queries) const {
    return queries.view({-1, per_group(), of_.width()});
  }
  /// What the queries of each group have for its masks, of which there may be none, by piece.
  at::Tensor by_piece(const at::Tensor& to_masks) const {
    return to_masks.view(
        {of_.kv_heads() * pieces_.pieces, pieces_.queries * per_group(), of_.masks()});
  }
  Parts split(const at::Tensor& x) const {
    return {x.narrow(-1, 0, pieces_.keys).contiguous(),
            x.narrow(-1, pieces_.keys, of_.masks())
                .reshape({of_.kv_heads() * groups_, per_group(), of_.masks()})};
  }
  /// The shares of queries in their keys, [kv_heads * pieces, queries, keys + masks].
  at::Tensor shares(const at::Tensor& queries, const at::Tensor& keys,
                    const at::Tensor& mask_keys) const {
    const at::Tensor to_text = at::bmm(queries, keys.transpose(1, 2));
    pieces_.hide_later(
        to_text.view({of_.kv_heads(), pieces_.pieces, pieces_.queries, -1, pieces_.keys}));
    const at::Tensor to_masks = at::bmm(by_group(queries), mask_keys.transpose(1, 2));
    // Slot s is mask s - real + 1, which sees the masks up to itself.
    const std::int64_t real = of_.slots() - of_.masks();
    const auto count = [&](std::int64_t end) {
      return at::arange(end, pieces_.positions.options());
    };
    const at::Tensor not_own = count(of_.masks()).gt(count(of_.slots()).unsqueeze(1) - real);
    to_masks.view({of_.kv_heads() * groups_, of_.shared(), of_.slots(), of_.masks()})
        .masked_fill_(not_own, -std::numeric_limits<double>::infinity());
    return at::softmax(at::cat({to_text, by_piece(to_masks)}, /*dim=*/-1), -1);
  }

 private:
  std::int64_t per_group() const { return of_.shared() * of_.slots(); }

  const GroupTensors& of_;
  const AttentionPieces& pieces_;
  std::int64_t groups_;
};

struct GroupAttention : torch::autograd::Function<GroupAttention> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const at::Tensor& mask_k, const at::Tensor& mask_v,
                            const AttentionLayout& layout) {
    const GroupTensors of{q, k, v, mask_k, mask_v};
    auto held = c10::make_intrusive<Held>(
        plan_pieces(layout, k.size(0), q.is_cpu() ? kGroupsOnProcessor : kGroupsOnGpu, q.device()));
    variable_list outputs;
    for (const AttentionPieces& pieces : held->planned.all) {
      const GroupOperands operands(of, pieces);
      const Parts shares = operands.split(
          operands.shares(operands.queries_of(q), pieces.keys_of(k), operands.masks_of(mask_k)));
      at::Tensor rows = at::bmm(shares.of_text, pieces.keys_of(v));
      rows.add_(at::bmm(shares.of_masks, operands.masks_of(mask_v)).view(rows.sizes()));
      outputs.push_back(operands.query_rows(rows));
    }
    const at::Tensor out = at::cat(outputs).index_select(0, held->planned.place);
    ctx->save_for_backward({q, k, v, mask_k, mask_v});
    ctx->saved_data["planned"] = c10::IValue::make_capsule(std::move(held));
    return out.flatten(2);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const GroupTensors of{saved[0], saved[1], saved[2], saved[3], saved[4]};
    const auto capsule = ctx->saved_data["planned"].toCapsule();
    const PlannedPieces& planned = static_cast<const Held&>(*capsule).planned;
    // Sums over pieces are kept in more than bf16.
    const auto type = of.q.scalar_type();
    const auto sums = type == at::kBFloat16 ? at::kFloat : type;
    const at::Tensor grad = grads[0].reshape(of.q.sizes());
    at::Tensor k_grad = at::zeros(of.k.sizes(), of.k.options().dtype(sums));
    at::Tensor v_grad = at::zeros_like(k_grad);
    variable_list q_grads, mask_k_grads, mask_v_grads;
    for (const AttentionPieces& pieces : planned.all) {
      const GroupOperands operands(of, pieces);
      const at::Tensor queries = operands.queries_of(of.q),
                       own_queries = operands.by_group(queries);
      const at::Tensor keys = pieces.keys_of(of.k), mask_keys = operands.masks_of(of.mask_k);
      const at::Tensor all = operands.shares(queries, keys, mask_keys);
      const at::Tensor out_grad = operands.queries(pieces.gradients_of(grad));
      const at::Tensor own_grad = operands.by_group(out_grad);
      const Parts shares = operands.split(all);
      const at::Tensor to_masks = at::bmm(own_grad, operands.masks_of(of.mask_v).transpose(1, 2));
      const at::Tensor share_grad = at::cat(
          {at::bmm(out_grad, pieces.keys_of(of.v).transpose(1, 2)), operands.by_piece(to_masks)},
          /*dim=*/-1);
      const Parts scores = operands.split(at::_softmax_backward_data(share_grad, all, -1, type));
      pieces.add_keys(at::bmm(scores.of_text.transpose(1, 2), queries), k_grad);
      pieces.add_keys(at::bmm(shares.of_text.transpose(1, 2), out_grad), v_grad);
      mask_k_grads.push_back(
          operands.mask_rows(at::bmm(scores.of_masks.transpose(1, 2), own_queries)));
      mask_v_grads.push_back(
          operands.mask_rows(at::bmm(shares.of_masks.transpose(1, 2), own_grad)));
      at::Tensor rows = at::bmm(scores.of_text, keys);
      rows.add_(at::bmm(scores.of_masks, mask_keys).view(rows.sizes()));
      q_grads.push_back(operands.query_rows(rows.mul_(of.scale())));
    }
    const auto in_place = [&](const variable_list& of_pieces) {
      return at::cat(of_pieces).index_select(0, planned.place);
    };
    return {in_place(q_grads),      k_grad.to(type),        v_grad.to(type),
            in_place(mask_k_grads), in_place(mask_v_grads), at::Tensor()};
  }

 private:
  /// What autograd keeps for the backward pass besides tensors.
  struct Held : torch::CustomClassHolder {
    explicit Held(PlannedPieces pieces) : planned(std::move(pieces)) {}
    PlannedPieces planned;
  };
};

}  // namespace

at::Tensor group_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const at::Tensor& mask_k, const at::Tensor& mask_v,
                           const AttentionLayout& layout) {
  return GroupAttention::apply(q, k, v, mask_k, mask_v, layout);
}

}  // namespace outrider::train
