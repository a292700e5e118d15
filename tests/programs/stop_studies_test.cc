// scripts/study_stops and scripts/bound_stops: what they refuse before anything is computed.

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

TEST(StudyStops, NamesMistakes) {
  const Shell shell;
  const auto study = [&](const std::string& flags) {
    return shell.run("OUTRIDER_BIN=\"$(dirname \"$runtime\")\" \"$source/scripts/study_stops\" " +
                     flags);
  };
  shell.write("p.jsonl", "{\"turns\": [\"one\"]}\n");
  expect_refusal(study("-o out p.jsonl p.jsonl p.jsonl"), "expected -m MODEL, found none");
  expect_refusal(study("-m tiny.gguf -o out p.jsonl p.jsonl"),
                 "expected TRAIN.jsonl VALIDATION.jsonl TEST.jsonl..., found 2 files");
  expect_refusal(study("-m tiny.gguf -o out p.jsonl absent.jsonl p.jsonl"),
                 "absent.jsonl: expected a file, found none");
  expect_refusal(study("-m tiny.gguf -o out -k '0 2' p.jsonl p.jsonl p.jsonl"),
                 "-k: expected 0, 1 or rejection, found '2'");
  expect_refusal(study("-m tiny.gguf -o out -b total p.jsonl p.jsonl p.jsonl"),
                 "-b: expected faster, hard, soft or tv, found 'total'");
}

TEST(BoundStops, TakesTracesWithScoresOnly) {
  const Shell shell;
  const Outcome outcome =
      shell.run("mkdir traces && \"$source/scripts/bound_stops\" --environment env traces traces");
  expect_refusal(outcome, "traces: expected traces with the scores of one draft model");
}

}  // namespace
}  // namespace outrider::test
