#include "runtime/decode/verify.h"

#include "runtime/decode/path_constraint.h"

namespace outrider::decode {

void Verifier::begin(const draft::TokenTree& tree) {
  tree_ = &tree;
  walk_.begin(tree);
  follows_ = asks_ = true;
}

draft::Origin Verifier::choose(Token choice) {
  next_ = choice;
  follows_ = asks_ = walk_.follow(choice);
  return follows_ ? tree_->origin(walk_.node()) : draft::Origin();
}

VerifiedDraft Verifier::result() const {
  const std::span<const int> path = walk_.path();
  return {path, follows_ ? path.first(path.size() - 1) : path, next_};
}

VerifiedDraft verify(const draft::TokenTree& tree, Verifier& verifier, const Choose& choose,
                     const Take& take) {
  verifier.begin(tree);
  while (verifier.asks()) {
    const Token choice = choose(verifier.node());
    const draft::Origin origin = verifier.choose(choice);
    if (!take(choice, origin)) verifier.end();
  }
  return verifier.result();
}

void add_rows(const draft::TokenTree& tree, int sequence, engine::Pass& pass,
              std::vector<int>& rows) {
  const int first = static_cast<int>(pass.rows.size());
  rows.clear();
  int row = 0;
  for (int node = 0; node < tree.size(); ++node) {
    rows.push_back(tree.is_refused(node) ? draft::TokenTree::kNone : row++);
    if (tree.is_refused(node)) continue;
    const int parent = node == 0 ? engine::Row::kCommitted
                                 : first + rows[static_cast<std::size_t>(tree.parent(node))];
    pass.rows.push_back({tree.token(node), sequence, parent, true});
  }
}

void add_rows(const draft::TokenTree& tree, int sequence, engine::Pass& pass) {
  std::vector<int> rows;
  add_rows(tree, sequence, pass, rows);
}

void refuse_nodes(draft::TokenTree& tree, sampling::TokenConstraint& constraint) {
  PathConstraint path(tree, constraint);
  for (int node = 1; node < tree.size(); ++node)
    if (tree.is_refused(tree.parent(node)) || !path.reach(node)) tree.refuse(node);
}

void rejected_nodes(const draft::TokenTree& tree, std::span<const int> kept,
                    std::vector<int>& rejected) {
  rejected.clear();
  auto next_kept = kept.begin();  // parents come before their children, so that a path ascends
  for (int node = 0; node < tree.size(); ++node) {
    if (next_kept != kept.end() && *next_kept == node)
      ++next_kept;
    else if (!tree.is_refused(node))
      rejected.push_back(node);
  }
}

}  // namespace outrider::decode
