#include "tests/programs/command_files.h"

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

const Words kModel = {"F/config.json", "F/model.safetensors.index.json",
                      "F/model-00002-of-00005.safetensors", "F/tokenizer.json"};
// G is the folder of the store's scores, a link: its name depends on the draft model.
const Words kStore = Shell::has_train() ? Words{"S/manifest.json", "S/shard-00000.h5",
                                                "G/manifest.json", "G/shard-00000.h5"}
                                        : Words{"S/manifest.json", "S/shard-00000.h5"};

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::vector<CommandFiles> commands_without_train() {
  return {
      {"runtime",
       "decode",
       {"--model", "--prompt-file", "--prompts", "--draft", "--artifacts", "--reference"},
       {"--json"},
       {},
       {{"-m F --prompts p.jsonl -n 2 --method ar --quiet", kModel + Words{"p.jsonl"}},
        {"-m F --prompt-file q.txt -n 2 --method pld-plus-h --artifacts a.h5 --quiet",
         {"q.txt", "a.h5"}},
        {"-m endless.gguf -p hi -n 2 --method ssd --draft tiny.gguf --quiet",
         {"endless.gguf", "tiny.gguf"}},
        {"-m F -p hi -n 2 --method pld --quiet --reference q.txt sources.jsonl",
         {"q.txt", "sources.jsonl"}}}},
      {"runtime",
       "certify",
       {"--model"},
       {"--json"},
       {},
       {{"-m F --minutes 0 --threads 1 --context 40", kModel}}},
      {"runtime",
       "bench",
       {"--model", "--prompts", "--draft", "--artifacts"},
       {"--json", "--plot"},
       {},
       {{"--grid -m F --prompts p.jsonl --limit 1 -n 2 --method context-ngram --drafts 1 "
         "--draft-length 1",
         kModel + Words{"p.jsonl"}},
        {"--grid -m F --prompts p.jsonl --limit 1 -n 2 --artifacts a.h5 --drafts 1 --draft-length "
         "1",
         {"a.h5"}}}},
      {"runtime", "stops", {}, {}, {}, {}, {{"study.json", {"study.json"}}}},
      {"runtime",
       "serve",
       {"--model", "--api-key-file", "--draft", "--artifacts", "--reference"},
       {},
       {},
       {},
       {{"-m F --print-config", kModel}}},
      {"runtime",
       "quality",
       {"--model", "--prompts"},
       {"--json"},
       {},
       {{"-m F --prompts p.jsonl --tokens 3 --quiet", kModel + Words{"p.jsonl"}}}},
      {"runtime",
       "attribute",
       {"--model", "--prompts", "--draft", "--artifacts"},
       {"--json"},
       {},
       {{"-m F --prompts sources.jsonl --method pld --quiet", kModel + Words{"sources.jsonl"}},
        {"-m F --prompts sources.jsonl --method pld-plus-h --artifacts a.h5 --quiet", {"a.h5"}}}},
      {"runtime",
       "inspect",
       {"FILE"},
       {"--json"},
       {},
       {{"F", kModel}, {"tiny.gguf", {"tiny.gguf"}}, {"a.h5", {"a.h5"}}}},
      {"runtime",
       "tokenize",
       {"--model", "--prompts"},
       {"--json"},
       {},
       {{"-m F --prompts p.jsonl --raw", {"F/tokenizer.json", "p.jsonl"}},
        {"-m tiny.gguf --decode - < ids.txt", {"tiny.gguf", "ids.txt"}}}},
      {"runtime",
       "export",
       {"--model", "--artifacts"},
       {"--out"},
       {},
       {{"-m tiny.gguf --artifacts t.h5 --to gguf", {"tiny.gguf", "t.h5"}}}},
      {"data",
       "traces",
       {"--model", "--prompts", "--draft"},
       {"--json"},
       {"--out", "--add-to"},
       {{"-m F --prompts p.jsonl -o S -n 12 --samples 2 --temperature 0 1 --quiet",
         kModel + kStore + Words{"p.jsonl"}}},
       {{"-m F --add-to S --draft F", kModel + kStore}}},
      {"data", "inspect", {"DIR"}, {"--json"}, {}, {{"S --quiet", kStore}}},
      {"data", "verify", {"DIR", "--model"}, {}, {}, {}, {{"S", kStore}}},
      {"data",
       "export",
       {"DIR"},
       {"--out"},
       {},
       {{"S --to jsonl --quiet", kStore}, {"S --to safetensors --quiet", kStore}}},
      {"data",
       "prompts",
       {"--exclude", "--hashes"},
       {"--out", "--write-held-out", "--write-hashes"},
       {},
       {{"p.jsonl --exclude sources.jsonl --hold-out-all 0.5 --quiet",
         {"p.jsonl", "sources.jsonl"}}}},
      {"data", "split", {"DIR"}, {"--out"}, {}, {{"S --quiet", kStore}}},
      {"data", "merge", {}, {}, {"--out"}, {}, {{"S --quiet", kStore}}},
      {"calibrate",
       "all",
       {"--model", "--prompts", "--data"},
       {},
       {"--artifacts", "--traces"},
       {},
       {{"-m endless.gguf --prompts p.jsonl --samples 2 -n 12 --minutes 1 --artifacts g.h5 "
         "--traces T "
         "--quiet",
         {"endless.gguf", "p.jsonl"}}}},
      {"calibrate",
       "heads",
       {"--model", "--prompts", "--data"},
       {"--plot"},
       {"--artifacts"},
       {{"-m F --prompts p.jsonl --samples 2 -n 12 --artifacts b.h5 --quiet",
         kModel + Words{"p.jsonl"}},
        {"-m F --data S --artifacts a.h5 --quiet", kStore + Words{"a.h5"}}}},
      {"calibrate",
       "layer",
       {"--model", "--prompts", "--data"},
       {"--plot"},
       {"--artifacts"},
       {{"-m F --prompts p.jsonl --samples 2 -n 12 --artifacts b.h5 --quiet",
         kModel + Words{"p.jsonl"}},
        {"-m F --data S --artifacts a.h5 --quiet", kStore + Words{"a.h5"}}}},
      {"calibrate",
       "ngrams",
       {"--model", "--prompts", "--data"},
       {"--plot"},
       {"--artifacts"},
       {{"-m F --prompts p.jsonl --samples 1 -n 4 --keep-top 2 --artifacts b.h5 --quiet",
         kModel + Words{"p.jsonl"}},
        {"-m F --data S --keep-top 2 --artifacts a.h5 --quiet", kStore + Words{"a.h5"}}}},
      {"calibrate",
       "draft",
       {"--model", "--data", "--draft"},
       {"--json"},
       {"--artifacts"},
       {{"-m F --data S --draft F --quiet", kStore}}},
      {"calibrate",
       "graph",
       {"--model", "--data", "--draft"},
       {"--plot", "--json"},
       {"--artifacts"},
       {{"-m F --data S --draft F --positions 4 --children 2 --steps 2 --tree-nodes 16 --threads 1 "
         "--quiet",
         kStore}}},
      {"calibrate",
       "tree",
       {"--model", "--data", "--draft"},
       {"--json"},
       {"--artifacts"},
       {{"-m F --data S --draft e.h5 --positions 4 --children 2 --depths 2 --threads 1 --quiet",
         kStore + Words{"e.h5"}}}},
      {"calibrate",
       "followers",
       {"--model", "--data"},
       {},
       {"--artifacts"},
       {},
       {{"-m F --data S --artifacts f.h5 --quiet", kStore}}},
      {"calibrate",
       "cost",
       {"--model"},
       {"--plot"},
       {"--artifacts"},
       {{"-m endless.gguf --rounds 1 --rows 1 2 --contexts 10 --threads 1 --artifacts c.h5 --quiet",
         {"endless.gguf", "c.h5"}}}},
      {"calibrate",
       "plot",
       {"--model", "--artifacts"},
       {"--out"},
       {},
       {{"-m F --group /pld_plus/layer --artifacts a.h5", kModel + Words{"a.h5"}}}},
      {"calibrate",
       "replay",
       {"--model", "--prompts", "--answers", "--data", "--draft", "--artifacts", "--reference"},
       {"--json"},
       {},
       {{"-m F --prompts p.jsonl -n 2 --method pld --quiet", kModel + Words{"p.jsonl"}},
        {"-m F --answers answers.jsonl --method pld-plus-h --artifacts a.h5 --quiet",
         {"answers.jsonl", "a.h5"}},
        {"-m endless.gguf --prompts p.jsonl -n 2 --method ssd --draft tiny.gguf --quiet",
         {"endless.gguf", "tiny.gguf"}},
        {"-m F --prompts p.jsonl -n 2 --method pld --quiet --reference q.txt", {"q.txt"}}}},
  };
}

}  // namespace

const std::vector<CommandFiles>& commands() {
  static const std::vector<CommandFiles> all = [] {
    std::vector<CommandFiles> built = commands_without_train();
    if (Shell::has_train()) {
      for (CommandFiles& command : built) {
        if (command.command == "bench")
          command.uses.push_back({"--stops -m F --prompts p.jsonl --limit 1 -n 2 --artifacts d.h5",
                                  {"p.jsonl", "d.h5"}});
      }
      built.push_back({"train",
                       "draft",
                       {"--model", "--data", "--start-from"},
                       {},
                       {"--work", "--metrics", "--artifacts"},
                       {},
                       {{"-m F --data S --validation 0.5 --vocab-size 40 --steps 1 --start-from "
                         "d.h5 --work X --artifacts x.h5 --quiet",
                         kModel + kStore + Words{"d.h5"}},
                        {"-m F --data S --validation 0.5 --vocab-size 40 --steps 1 --start-from W "
                         "--work X --artifacts x.h5 --quiet",
                         {"W/checkpoint.h5", "W/metrics.jsonl"}}}});
      built.push_back({"train",
                       "parallelspec",
                       {"--model", "--data", "--start-from"},
                       {},
                       {"--cache", "--work", "--metrics", "--artifacts", "--out"},
                       {},
                       {{"-m F --data S --validation 0.5 --vocab-size 40 --steps 1 --cache C "
                         "--start-from P --work X --artifacts x.h5 --quiet",
                         {"F/model.safetensors.index.json", "S/shard-00000.h5", "C/states.h5",
                          "P/metrics.jsonl"}}}});
      built.push_back({"train",
                       "disco",
                       {"--model", "--data", "--test", "--draft", "--validation-data"},
                       {"--json", "--plot"},
                       {"--artifacts"},
                       {{"-m F --data S --draft d.h5 --validation 0.5 --epochs 1 --artifacts e.h5 "
                         "--quiet",
                         kStore + Words{"d.h5"}}}});
      built.push_back({"train",
                       "inspect",
                       {"PATH"},
                       {"--json"},
                       {},
                       {{"W", {"W/checkpoint.h5", "W/metrics.jsonl", "W/curves.svg", "W/lock"}}}});
    }
    return built;
  }();
  return all;
}

}  // namespace outrider::test
