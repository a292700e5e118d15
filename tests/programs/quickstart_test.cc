// scripts/quickstart on the tiny model, with what it fetches and builds being there.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

TEST(Quickstart, TimesPlainDecodingAndDecodingWithoutFlags) {
  const Shell shell;
  const Outcome outcome = shell.run(
      "mkdir -p tree/scripts tree/models tree/configs/prompts tree/build/release; "
      "cp \"$source/scripts/quickstart\" tree/scripts; "
      "for name in setup build; do echo '#!/bin/true' > tree/scripts/$name; done; "
      "chmod +x tree/scripts/*; "
      "ln -s \"$(dirname \"$runtime\")\" tree/build/release/bin; "
      "ln -s ../../tiny.gguf \"tree/models/$(basename \"$real\")\"; "
      "for task in math rag; do "
      "echo '{\"id\": \"'$task'\", \"task\": \"'$task'\", \"turns\": [\"one two one two\"]}'; "
      "done > tree/configs/prompts/demo.jsonl; "
      "tree/scripts/quickstart 2 6");
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  // What is the fastest for a model without artifacts.
  EXPECT_NE(outcome.out.find("decoding without flags: here --method pld."), std::string::npos)
      << outcome.out;
  std::istringstream runs(shell.read("tree/build/quickstart/all.jsonl"));
  int plain = 0, without_flags = 0;
  for (std::string line; std::getline(runs, line);) {
    const auto run = nlohmann::json::parse(line);
    if (run["run"] == "ar") {
      EXPECT_EQ(run["method"], "ar");
      ++plain;
    } else {
      EXPECT_EQ(run["settings"]["draft_length"], 2);
      ++without_flags;
    }
  }
  EXPECT_EQ(plain, 4);
  EXPECT_EQ(without_flags, 4);
  for (const char* row : {"\nmath ", "\nrag ", "\nall "})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1 of 1\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("2 of 2\n"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace outrider::test
