#include "runtime/decode/verify.h"

namespace outrider::decode {

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

}  // namespace outrider::decode
