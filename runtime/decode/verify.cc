#include "runtime/decode/verify.h"

namespace outrider::decode {

void put_rows(const draft::TokenTree& tree, engine::Pass& pass) {
  pass.rows.clear();
  for (int node = 0; node < tree.size(); ++node) {
    const int parent = node == 0 ? engine::Row::kCommitted : tree.parent(node);
    pass.rows.push_back({tree.token(node), 0, parent, true});
  }
}

VerifiedDraft verify(const draft::TokenTree& tree, draft::TreeWalk& walk, const Choose& choose,
                     const Take& take) {
  walk.begin(tree);
  VerifiedDraft verified;
  bool follows = true, goes_on = true;
  while (follows && goes_on) {
    verified.next = choose(walk.node());
    follows = walk.follow(verified.next);
    goes_on = take(verified.next, follows ? tree.origin(walk.node()) : draft::Origin());
  }
  verified.path = walk.path();
  verified.kept = follows ? verified.path.first(verified.path.size() - 1) : verified.path;
  return verified;
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
