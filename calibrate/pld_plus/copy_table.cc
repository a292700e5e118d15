#include "calibrate/pld_plus/copy_table.h"

#include <algorithm>
#include <bit>

#include "calibrate/answers/halves_of_prompts.h"
#include "runtime/draft/copy/pld_plus_drafter.h"

namespace outrider::calibrate {

/// PLD+ with precomputed sources.
class CopyTable::Drafter : public draft::PldPlus {
 public:
  Drafter(const Sources& sources, int prompt, const CopyDrafting& how)
      : PldPlus(how.draft_length, how.branches, how.lengths, how.threshold),
        sources_(sources),
        prompt_(static_cast<std::size_t>(prompt)) {}

  std::string name() const override { return "pld-plus"; }

 private:
  void score(const draft::DraftContext& context,
             std::vector<draft::RankedSource>& scored) override {
    const std::size_t position = context.committed.size() - 1 - prompt_;
    const auto begin = position == 0 ? 0 : sources_.ends[position - 1];
    scored.assign(sources_.all.begin() + begin, sources_.all.begin() + sources_.ends[position]);
  }

  const Sources& sources_;
  std::size_t prompt_;
};

void CopyTable::begin(const Answer& answer) {
  answers_.push_back({answer, std::vector<Sources>(rankings_)});
}

void CopyTable::note(std::size_t ranking, std::span<const draft::RankedSource> scored) {
  Noted& noted = answers_.back();
  Sources& sources = noted.by_ranking[ranking];
  const std::size_t committed =
      static_cast<std::size_t>(noted.answer.prompt) + sources.ends.size() + 1;
  std::vector<draft::RankedSource> best;
  draft::best_sources(std::span(noted.answer.tokens).first(committed), scored, branches_, best);
  sources.all.insert(sources.all.end(), best.begin(), best.end());
  sources.ends.push_back(static_cast<std::uint32_t>(sources.all.size()));
}

std::vector<std::int32_t> CopyTable::last_noted() const {
  std::vector<std::int32_t> numbers;
  for (const Sources& sources : answers_.back().by_ranking) {
    numbers.push_back(static_cast<std::int32_t>(sources.ends.size()));
    for (const std::uint32_t end : sources.ends) numbers.push_back(static_cast<std::int32_t>(end));
    for (const draft::RankedSource& source : sources.all) {
      numbers.push_back(source.position);
      numbers.push_back(std::bit_cast<std::int32_t>(source.score));
      numbers.push_back(std::bit_cast<std::int32_t>(source.bonus));
    }
  }
  return numbers;
}

/// Takes those of one ranking from the front of `noted`.
std::optional<CopyTable::Sources> CopyTable::sources_in(
    const Answer& answer, std::span<const std::int32_t>& noted) const {
  const auto positions = static_cast<std::size_t>(std::max(0, answer.made() - 1));
  if (noted.size() < 1 + positions || noted[0] != static_cast<std::int32_t>(positions))
    return std::nullopt;
  const auto ends = noted.subspan(1, positions);
  noted = noted.subspan(1 + positions);
  Sources sources;
  std::int32_t committed = answer.prompt;
  for (const std::int32_t end : ends) {
    ++committed;
    const std::int64_t more = std::int64_t{end} - std::ssize(sources.all);
    if (more < 0 || more > branches_ || std::ssize(noted) < 3 * more) return std::nullopt;
    for (; std::ssize(sources.all) < end; noted = noted.subspan(3)) {
      if (noted[0] < 0 || noted[0] >= committed - 1) return std::nullopt;
      sources.all.push_back(
          {noted[0], std::bit_cast<float>(noted[1]), std::bit_cast<float>(noted[2])});
    }
    sources.ends.push_back(static_cast<std::uint32_t>(end));
  }
  return sources;
}

bool CopyTable::restore(const Answer& answer, std::span<const std::int32_t> noted) {
  Noted restored{answer, {}};
  for (std::size_t i = 0; i < rankings_; ++i) {
    auto sources = sources_in(answer, noted);
    if (!sources) return false;
    restored.by_ranking.push_back(std::move(*sources));
  }
  if (!noted.empty()) return false;
  answers_.push_back(std::move(restored));
  return true;
}

CopyTable CopyTable::only(std::size_t ranking) const {
  CopyTable one(1, branches_);
  for (const Noted& noted : answers_)
    one.answers_.push_back({noted.answer, {noted.by_ranking[ranking]}});
  return one;
}

std::map<double, CopyTable> CopyTable::by_temperature() const {
  std::map<double, CopyTable> tables;
  for (const Noted& noted : answers_) {
    const auto [table, is_new] =
        tables.try_emplace(noted.answer.temperature(), CopyTable(rankings_, branches_));
    table->second.answers_.push_back(noted);
  }
  return tables;
}

std::array<CopyTable, 2> CopyTable::halves() const {
  std::array<CopyTable, 2> halves = {CopyTable(rankings_, branches_),
                                     CopyTable(rankings_, branches_)};
  HalvesOfPrompts prompts;
  for (const Noted& noted : answers_)
    halves[prompts.half_of(noted.answer)].answers_.push_back(noted);
  return halves;
}

void CopyTable::for_each_best(
    std::size_t ranking, const std::function<void(std::span<const Token>, std::span<const Token>,
                                                  const draft::RankedSource&)>& see) const {
  for (const Noted& noted : answers_) {
    const Sources& sources = noted.by_ranking[ranking];
    const std::span<const Token> text = noted.answer.tokens;
    std::size_t begin = 0, position = static_cast<std::size_t>(noted.answer.prompt) + 1;
    for (const std::uint32_t end : sources.ends) {
      const auto continuation = text.subspan(position, noted.answer.next_loop(position) - position);
      if (begin < end && !continuation.empty())
        see(text.first(position), continuation, sources.all[begin]);
      begin = end;
      ++position;
    }
  }
}

Replay CopyTable::replay(std::size_t ranking, const CopyDrafting& how) const {
  Replay all;
  for (const Noted& noted : answers_) {
    Drafter drafter(noted.by_ranking[ranking], noted.answer.prompt, how);
    all.add(calibrate::replay(noted.answer, &drafter));
  }
  return all;
}

}  // namespace outrider::calibrate
