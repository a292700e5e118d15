#include "runtime/decode/verify.h"

namespace outrider::decode {

Verdict verify(const draft::TokenTree& tree, draft::TreeWalk& walk, const Choose& choose,
               const Take& take) {
  walk.begin(tree);
  Verdict verdict;
  bool follows = true, goes_on = true;
  while (follows && goes_on) {
    verdict.next = choose(walk.node());
    follows = walk.follow(verdict.next);
    goes_on = take(verdict.next, follows ? tree.origin(walk.node()) : draft::Origin());
  }
  verdict.path = walk.path();
  verdict.kept = follows ? verdict.path.first(verdict.path.size() - 1) : verdict.path;
  return verdict;
}

}  // namespace outrider::decode
