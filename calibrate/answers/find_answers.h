#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "calibrate/answers/made_answers.h"
#include "data/store/trace_store.h"
#include "runtime/base/watch.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// The texts that a study calibrates with.
struct AnswerSource {
  std::string data;      // a trace store; empty: the target answers prompts
  MakingOptions making;  // of these answers
};

/// A trace store to take answers from.
/// @throws InputError when it is of another model
data::TraceStore open_traces(const std::string& folder, const inference::Target& target);

/// Reads or generates the answers.
/// @param artifact, part  where generated answers are stored: see `make_answers`
/// @param on_ahead        called before long work, to tell of it, if the watch is heard
/// @throws InputError for a store of another model; Interrupted
Answers find_answers(
    inference::Target& target, const AnswerSource& source, const std::filesystem::path& artifact,
    const std::string& part, Watch& watch, const OnAhead& on_ahead,
    const Enough& enough = [](const auto&) { return true; });

/// The part of a plan that make_answers is; nothing where all answers are there.
std::vector<PlannedPart> making_part(const WorkAhead& ahead);

/// Visits the answers one by one. @param what  "answers counted"
/// @throws Interrupted
void for_each_answer(const std::string& what, std::span<const Answer> answers, Watch& watch,
                     const std::function<void(const Answer&)>& visit);

/// Visits the answers, continuing after those in the journal; those of its part alone where it is one.
/// @throws PartDone once all of that are visited
/// @param visit    returns the result to store
/// @param restore  is given the result of an earlier run; returns false if it is invalid
void for_each_answer(
    const std::string& what, std::span<const Answer> answers, Watch& watch, data::Journal& journal,
    const std::function<data::Journal::Entry(const Answer&)>& visit,
    const std::function<bool(const Answer&, const data::Journal::Entry&)>& restore);

}  // namespace outrider::calibrate
