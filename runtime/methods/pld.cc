#include "runtime/methods/pld.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::methods {
namespace {

constexpr int kNgram = 10;
constexpr int kPublishedNgram = 3;
/// Longer drafts are seldom worth their rows.
constexpr int kLength = 4;

}  // namespace

std::string Pld::summary() const { return "copies what followed the last n-gram"; }

void Pld::visit_own(SettingVisitor& visitor) {
  visitor.whole(
      {"ngram", fmt::format("longest n-gram looked up; without this flag {}, with --published {}",
                            kNgram, kPublishedNgram)},
      {1, 64}, settings.ngram);
  visit_draft_length(visitor, settings.draft_length,
                     fmt::format("{}, with --published {}", kLength, kDraftLength));
  visitor.flag({"published",
                "the earliest match that a whole draft follows, as published; without this flag "
                "the latest match, and drafts that may end with the text"},
               settings.published);
}

void Pld::copy_whole() { settings.draft_length = settings.draft_length.value_or(kDraftLength); }

OwnDrafters Pld::prepare_own(const MethodTarget& /*target*/) const {
  auto resolved = std::make_unique<Pld>(*this);
  PldSettings& use = resolved->settings;
  if (use.published && !around.reference.empty())
    throw InputError(
        "--reference: not with --published, which copies from the text only; leave one of them "
        "out");
  use.ngram = use.ngram.value_or(use.published ? kPublishedNgram : kNgram);
  if (!use.published) use.draft_length = use.draft_length.value_or(kLength);
  resolve_fixed_length(use.draft_length);
  const draft::PldOptions options = {*use.ngram, *use.draft_length, use.published, use.shortest};
  draft::WithReferenceOptions of_reference;
  of_reference.longest =
      std::clamp(*use.ngram, of_reference.shortest, draft::ReferenceIndex::kLongest);
  return {.resolved = std::move(resolved),
          .new_drafter = [options] { return std::make_unique<draft::Pld>(options); },
          .artifacts = use.artifacts,
          .reference = of_reference};
}

std::unique_ptr<Method> new_pld() { return std::make_unique<Pld>(); }

}  // namespace outrider::methods
