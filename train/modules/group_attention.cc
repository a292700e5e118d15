#include "train/modules/group_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGroupBlock = 32;
// oneDNN compiles a product for every shape it meets.
constexpr std::int64_t kGroupPadding = 16;
constexpr std::int64_t kTextKeyPadding = 64;

std::int64_t rounded_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Some groups of one text.
struct GroupBlock {
  std::int64_t first, groups, padded_groups;
  std::int64_t first_key, keys;  // of the text, those that the last group sees
  std::int64_t padded_keys;
};

std::vector<GroupBlock> group_blocks(const AttentionLayout& layout) {
  std::vector<GroupBlock> blocks;
  for (const AttentionSpan& span : layout.spans) {
    for (std::int64_t i = 0; i < span.queries; i += kGroupBlock) {
      const std::int64_t first = span.first_query + i;
      const std::int64_t groups = std::min(kGroupBlock, span.queries - i);
      const std::int64_t keys =
          layout.query_positions[static_cast<std::size_t>(first + groups - 1)] + 1;
      blocks.push_back({first, groups, rounded_up(groups, kGroupPadding), span.first_key, keys,
                        rounded_up(keys, kTextKeyPadding)});
    }
  }
  return blocks;
}

/// The five tensors, and the shape that they have in common.
struct Operands {
  at::Tensor q, k, v, mask_k, mask_v;

  std::int64_t slots() const { return q.size(1); }
  std::int64_t masks() const { return mask_k.size(1); }
  std::int64_t kv_heads() const { return k.size(1); }
  std::int64_t shared() const { return q.size(2) / k.size(1); }  // query heads of a key head
  std::int64_t width() const { return q.size(3); }
  double scale() const { return 1 / std::sqrt(static_cast<double>(width())); }
};

// [rows, kv_heads, width] -> [kv_heads, padded keys, width]
at::Tensor text_keys(const at::Tensor& x, const GroupBlock& block) {
  at::Tensor result = at::zeros({x.size(1), block.padded_keys, x.size(2)}, x.options());
  result.narrow(1, 0, block.keys).copy_(x.narrow(0, block.first_key, block.keys).transpose(0, 1));
  return result;
}

// [groups, masks, kv_heads, width] -> [kv_heads * padded groups, masks, width]
at::Tensor group_keys(const at::Tensor& x, const GroupBlock& block) {
  at::Tensor result =
      at::zeros({x.size(2), block.padded_groups, x.size(1), x.size(3)}, x.options());
  result.narrow(1, 0, block.groups)
      .copy_(x.narrow(0, block.first, block.groups).permute({2, 0, 1, 3}));
  return result.flatten(0, 1);
}

// [groups, slots, heads, width] -> [kv_heads, padded groups * shared * slots, width]
at::Tensor group_queries(const at::Tensor& x, const Operands& of, const GroupBlock& block) {
  at::Tensor result = at::zeros(
      {of.kv_heads(), block.padded_groups, of.shared(), of.slots(), of.width()}, x.options());
  result.narrow(1, 0, block.groups)
      .copy_(x.narrow(0, block.first, block.groups)
                 .view({block.groups, of.slots(), of.kv_heads(), of.shared(), of.width()})
                 .permute({2, 0, 3, 1, 4}));
  return result.view({of.kv_heads(), -1, of.width()});
}

// The other way round, into groups of `x`.
void write_queries(const at::Tensor& rows, const Operands& of, const GroupBlock& block,
                   at::Tensor& x) {
  x.narrow(0, block.first, block.groups)
      .view({block.groups, of.slots(), of.kv_heads(), of.shared(), of.width()})
      .copy_(rows.view({of.kv_heads(), block.padded_groups, of.shared(), of.slots(), of.width()})
                 .narrow(1, 0, block.groups)
                 .permute({1, 3, 0, 2, 4}));
}

// [kv_heads * padded groups, shared * slots, masks] -> [kv_heads, queries, masks], of which there may be none.
at::Tensor of_queries(const at::Tensor& to_masks, const Operands& of, const GroupBlock& block) {
  return to_masks.view({of.kv_heads(), block.padded_groups * of.shared() * of.slots(), of.masks()});
}

/// The shares of a block's queries in its keys, [kv_heads, queries, padded keys + masks].
at::Tensor shares_of(const Operands& of, const GroupBlock& block, const at::Tensor& positions,
                     const at::Tensor& queries, const at::Tensor& keys,
                     const at::Tensor& mask_keys) {
  constexpr double kHidden = -std::numeric_limits<double>::infinity();
  const std::int64_t per_group = of.shared() * of.slots();
  at::Tensor to_text = at::bmm(queries, keys.transpose(1, 2));
  const at::Tensor later = at::arange(block.padded_keys, at::kLong)
                               .gt(positions.narrow(0, block.first, block.groups).unsqueeze(1));
  to_text.view({of.kv_heads(), block.padded_groups, per_group, block.padded_keys})
      .narrow(1, 0, block.groups)
      .masked_fill_(later.unsqueeze(1), kHidden);
  at::Tensor to_masks =
      at::bmm(queries.view({-1, per_group, of.width()}), mask_keys.transpose(1, 2));
  // Slot s is mask s - real + 1, which sees the masks up to itself.
  const std::int64_t real = of.slots() - of.masks();
  const at::Tensor not_own =
      at::arange(of.masks(), at::kLong).gt(at::arange(of.slots(), at::kLong).unsqueeze(1) - real);
  to_masks.view({of.kv_heads() * block.padded_groups, of.shared(), of.slots(), of.masks()})
      .masked_fill_(not_own, kHidden);
  return at::softmax(at::cat({to_text, of_queries(to_masks, of, block)}, /*dim=*/-1), -1);
}

/// A tensor over all keys in two parts: the keys of the text, and those of the group's masks.
struct Parts {
  at::Tensor of_text;   // [kv_heads, queries, padded keys]
  at::Tensor of_masks;  // [kv_heads * padded groups, shared * slots, masks]
};

Parts split(const at::Tensor& x, const Operands& of, const GroupBlock& block) {
  return {
      x.narrow(-1, 0, block.padded_keys).contiguous(),
      x.narrow(-1, block.padded_keys, of.masks())
          .reshape({of.kv_heads() * block.padded_groups, of.shared() * of.slots(), of.masks()})};
}

struct GroupAttention : torch::autograd::Function<GroupAttention> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const at::Tensor& mask_k, const at::Tensor& mask_v,
                            std::shared_ptr<const AttentionLayout> layout) {
    const Operands of{q, k, v, mask_k, mask_v};
    const at::Tensor positions = at::tensor(layout->query_positions, at::kLong);
    at::Tensor out = at::empty(q.sizes(), q.options());
    for (const GroupBlock& block : group_blocks(*layout)) {
      const at::Tensor queries = group_queries(q, of, block) * of.scale();
      const Parts shares = split(
          shares_of(of, block, positions, queries, text_keys(k, block), group_keys(mask_k, block)),
          of, block);
      at::Tensor rows = at::bmm(shares.of_text, text_keys(v, block));
      rows.add_(at::bmm(shares.of_masks, group_keys(mask_v, block)).view(rows.sizes()));
      write_queries(rows, of, block, out);
    }
    ctx->save_for_backward({q, k, v, mask_k, mask_v});
    ctx->saved_data["layout"] =
        c10::IValue::make_capsule(c10::make_intrusive<Held>(std::move(layout)));
    return out.flatten(2);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Operands of{saved[0], saved[1], saved[2], saved[3], saved[4]};
    const auto layout = static_cast<const Held&>(*ctx->saved_data["layout"].toCapsule()).layout;
    const at::Tensor positions = at::tensor(layout->query_positions, at::kLong);
    // Sums over blocks of groups are kept in more than bf16.
    const auto type = of.q.scalar_type();
    const auto sums = type == at::kBFloat16 ? at::kFloat : type;
    const at::Tensor grad = grads[0].contiguous().view(of.q.sizes());
    at::Tensor q_grad = at::empty(of.q.sizes(), of.q.options());
    at::Tensor k_grad = at::zeros(of.k.sizes(), of.k.options().dtype(sums));
    at::Tensor v_grad = at::zeros_like(k_grad);
    at::Tensor mask_k_grad = at::empty(of.mask_k.sizes(), of.mask_k.options());
    at::Tensor mask_v_grad = at::empty_like(mask_k_grad);
    for (const GroupBlock& block : group_blocks(*layout)) {
      const at::Tensor queries = group_queries(of.q, of, block) * of.scale();
      const at::Tensor keys = text_keys(of.k, block);
      const at::Tensor mask_keys = group_keys(of.mask_k, block);
      const at::Tensor all = shares_of(of, block, positions, queries, keys, mask_keys);
      const at::Tensor out_grad = group_queries(grad, of, block);
      const at::Tensor own_grad = out_grad.view({-1, of.shared() * of.slots(), of.width()});
      const at::Tensor own_queries = queries.view(own_grad.sizes());
      const Parts shares = split(all, of, block);
      const at::Tensor to_masks = at::bmm(own_grad, group_keys(of.mask_v, block).transpose(1, 2));
      const at::Tensor share_grad =
          at::cat({at::bmm(out_grad, text_keys(of.v, block).transpose(1, 2)),
                   of_queries(to_masks, of, block)},
                  /*dim=*/-1);
      const Parts scores = split(at::_softmax_backward_data(share_grad, all, -1, type), of, block);
      add_keys(at::bmm(scores.of_text.transpose(1, 2), queries), block, k_grad);
      add_keys(at::bmm(shares.of_text.transpose(1, 2), out_grad), block, v_grad);
      write_masks(at::bmm(scores.of_masks.transpose(1, 2), own_queries), of, block, mask_k_grad);
      write_masks(at::bmm(shares.of_masks.transpose(1, 2), own_grad), of, block, mask_v_grad);
      at::Tensor rows = at::bmm(scores.of_text, keys);
      rows.add_(at::bmm(scores.of_masks, mask_keys).view(rows.sizes()));
      write_queries(rows.mul_(of.scale()), of, block, q_grad);
    }
    return {q_grad, k_grad.to(type), v_grad.to(type), mask_k_grad, mask_v_grad, at::Tensor()};
  }

 private:
  /// What autograd keeps for the backward pass besides tensors.
  struct Held : torch::CustomClassHolder {
    explicit Held(std::shared_ptr<const AttentionLayout> held) : layout(std::move(held)) {}
    std::shared_ptr<const AttentionLayout> layout;
  };

  static void add_keys(const at::Tensor& of_block, const GroupBlock& block, at::Tensor& rows) {
    rows.narrow(0, block.first_key, block.keys)
        .add_(of_block.narrow(1, 0, block.keys).transpose(0, 1));
  }

  static void write_masks(const at::Tensor& of_block, const Operands& of, const GroupBlock& block,
                          at::Tensor& groups) {
    groups.narrow(0, block.first, block.groups)
        .copy_(of_block.view({of.kv_heads(), block.padded_groups, of.masks(), of.width()})
                   .narrow(1, 0, block.groups)
                   .permute({1, 2, 0, 3}));
  }
};

}  // namespace

at::Tensor group_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const at::Tensor& mask_k, const at::Tensor& mask_v,
                           const AttentionLayout& layout) {
  return GroupAttention::apply(q, k, v, mask_k, mask_v,
                               std::make_shared<const AttentionLayout>(layout));
}

}  // namespace outrider::train
