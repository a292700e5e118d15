#include "calibrate/answers/find_answers.h"

#include <fmt/core.h>

#include <algorithm>

#include "calibrate/answers/stored_answers.h"
#include "data/reader/made_by.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/model/identity.h"

namespace outrider::calibrate {
namespace {

Answers read_answers(const inference::Target& target, const std::string& folder) {
  const data::TraceStore store = open_traces(folder, target);
  return {read_stored_answers(store),
          data::identity_text(store.identity()),
          data::seed_of(store.identity()).value_or(0),
          {}};
}

}  // namespace

data::TraceStore open_traces(const std::string& folder, const inference::Target& target) {
  data::TraceStore store(folder);
  data::check_same_rotation(store, target.model());
  if (store.identity().model_hash != model::model_hash(target.model()))
    throw InputError(fmt::format("{}: its traces are of {}, not of {}", folder,
                                 store.identity().model_name, target.options().model));
  return store;
}

Answers find_answers(inference::Target& target, const AnswerSource& source,
                     const std::filesystem::path& artifact, const std::string& part, Watch& watch,
                     const OnAhead& on_ahead, const Enough& enough) {
  const OnAhead ahead = watch.is_heard() ? on_ahead : OnAhead();
  if (!source.data.empty()) {
    Answers answers = read_answers(target, source.data);
    if (ahead) ahead(work_on(answers.all));
    return answers;
  }
  MakingOptions making = source.making;
  making.interrupted = [&watch] { return watch.interrupted(); };
  Answers answers = make_answers(target, making, artifact, part, enough, ahead,
                                 [&](std::int64_t done, std::int64_t total) {
                                   if (done == 0)
                                     watch.begin("conversations", total);
                                   else
                                     watch.show(done);
                                 });
  watch.end();
  return answers;
}

std::vector<PlannedPart> making_part(const WorkAhead& ahead) {
  if (ahead.to_make == 0) return {};
  return {{fmt::format("{} prompts answered", ahead.to_make), ahead.making_seconds}};
}

void for_each_answer(const std::string& what, std::span<const Answer> answers, Watch& watch,
                     const std::function<void(const Answer&)>& visit) {
  watch.begin(what, std::ssize(answers));
  std::int64_t done = 0;
  for (const Answer& answer : answers) {
    if (watch.interrupted()) throw Interrupted();
    visit(answer);
    watch.show(++done);
  }
  watch.end();
}

void for_each_answer(
    const std::string& what, std::span<const Answer> answers, Watch& watch, data::Journal& journal,
    const std::function<data::Journal::Entry(const Answer&)>& visit,
    const std::function<bool(const Answer&, const data::Journal::Entry&)>& restore) {
  const std::size_t kept = journal.kept().size();
  if (kept > 0) watch.inform(fmt::format("{}: resuming after {}", what, kept));
  const auto add = [&](const Answer& answer) { journal.append(visit(answer)); };
  if (journal.is_part()) {
    for_each_answer(what, journal.left_of(answers), watch, add);
    journal.end_part();
  }
  const std::size_t before = std::min(kept, answers.size());
  for (std::size_t i = 0; i < before; ++i)
    if (!restore(answers[i], journal.kept()[i])) journal.refuse();
  for_each_answer(what, answers.subspan(before), watch, add);
}

}  // namespace outrider::calibrate
