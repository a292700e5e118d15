#include "runtime/decode/verify.h"

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

void add_rows(const draft::TokenTree& tree, int sequence, engine::Pass& pass) {
  const int first = static_cast<int>(pass.rows.size());
  for (int node = 0; node < tree.size(); ++node) {
    const int parent = node == 0 ? engine::Row::kCommitted : first + tree.parent(node);
    pass.rows.push_back({tree.token(node), sequence, parent, true});
  }
}

void rejected_nodes(const draft::TokenTree& tree, std::span<const int> kept,
                    std::vector<int>& rejected) {
  rejected.clear();
  auto next_kept = kept.begin();  // parents come before their children, so that a path ascends
  for (int node = 0; node < tree.size(); ++node) {
    if (next_kept != kept.end() && *next_kept == node)
      ++next_kept;
    else
      rejected.push_back(node);
  }
}

}  // namespace outrider::decode
