// Writes the seed corpora of the fuzz targets: make_fuzz_seeds tests/fuzz/corpus
// Seeds named valid_* must be accepted; seeds_test.cc checks it.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "data/store/group_format.h"
#include "data/store/manifest.h"
#include "tests/fuzz/artifact_seeds.h"
#include "tests/fuzz/checkpoint_seeds.h"
#include "tests/fuzz/gguf_seeds.h"
#include "tests/fuzz/hf_json_seeds.h"
#include "tests/fuzz/shard_seeds.h"

namespace {

void write(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.exceptions(std::ios::badbit | std::ios::failbit);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

void write_all(const std::filesystem::path& folder,
               const std::map<std::string, std::string>& seeds) {
  for (const auto& [name, seed] : seeds) write(folder / name, seed);
}

void write_prompt_seeds(const std::filesystem::path& folder) {
  write(folder / "valid_turns",
        "{\"id\": \"a\", \"task\": \"chat\", \"source\": \"ours\", \"turns\": [\"Hello.\", \"And "
        "then?\"], \"reference\": \"x\"}\n\n{\"turns\": [\"\\u00e9\\ud83d\\ude00\"]}\n");
  write(folder / "valid_nulls",
        "{\"turns\":[\"x\"],\"id\":null,\"reference\":null,\"more\":[1.5e3]}");
  write(folder / "no_turns", "{\"id\": \"a\", \"turns\": []}\n");
  write(folder / "deep", std::string(64, '[') + std::string(64, ']'));
  write(folder / "huge_number", "{\"turns\": [\"x\"], \"n\": 1e9999}");
  write(folder / "cut", "{\"turns\": [\"Hel");
}

/// The first byte selects the format: see read_conversations.h.
void write_conversation_seeds(const std::filesystem::path& folder) {
  write(
      folder / "valid_sharegpt",
      "0[{\"id\": \"a\", \"conversations\": [{\"from\": \"system\", \"value\": \"s\"}, {\"from\": "
      "\"human\", \"value\": \"Hello.\"}, {\"from\": \"gpt\", \"value\": \"Hi.\"}]}]");
  write(
      folder / "valid_openai",
      "1{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": "
      "\"Hello.\"}]}, {\"role\": \"assistant\", \"content\": \"Hi.\"}]}\n{\"body\": {\"messages\": "
      "[{\"role\": \"user\", \"content\": \"And?\"}]}}\n");
  write(folder / "valid_spec_bench",
        "2{\"question_id\": 81, \"category\": \"writing\", \"turns\": [\"a\", \"b\"], "
        "\"reference\": [\"x\", \"y\"]}\n");
  write(folder / "valid_text", "3Hello.\n");
  write(folder / "no_turns", "0[{\"conversations\": []}]");
  write(folder / "other_role", "1{\"messages\": [{\"role\": \"tool\", \"content\": \"a\"}]}");
  write(folder / "deep", "1" + std::string(64, '['));
  write(folder / "no_text", "3");
}

void write_template_seeds(const std::filesystem::path& folder) {
  write(folder / "valid_turns",
        "{%- for message in messages if message.role != 'x' %}\n  {{- '<|' ~ message['role'] + "
        "'|>' }}"
        "{{ message.content | trim }}\n{% else %}{{ bos_token }}{% endfor %}"
        "{% if add_generation_prompt and not tools %}{{ \"a\" }}{% elif tools is none %}b{% endif "
        "%}\n");
  write(folder / "valid_macros",
        "{% macro f(a, b=1, c=[2, 'x'], d={'k': none}) -%}{{ a }}{{ varargs }}{{ kwargs|dictsort }}"
        "{{ caller() if caller is defined }}{%- endmacro %}{{ f(1, *[2, 3], **{'z': 4}) }}"
        "{% call f(0) %}{% filter upper|indent(2, true) %}x{% endfilter %}{% endcall %}"
        "{% set ns = namespace(n=0) %}{% for i in range(9) recursive %}{% set ns.n = ns.n + i %}"
        "{% if loop.index > 3 or loop.last %}{% break %}{% endif %}{% continue %}{% endfor %}{{ "
        "ns.n }}");
  write(
      folder / "valid_values",
      "{% set x %}{% raw %}{{ }}{% endraw %}{% endset %}{{ [1, -2.5e3, (), x[::-1], 7 // 2 ** 2 % "
      "3] }}"
      "{{ messages|map(attribute='content')|join(', ')|tojson(indent=2) }}{{ '%5.2f|%s' % (1, x) }}"
      "{{ '{:>5}{!r}'.format(1, 2) }}{{ messages|selectattr('role', 'in', ['user'])|list|length }}"
      "{{ messages[1].content.split()[0].title() }}{{ strftime_now('%d %b %Y') }}");
  write(folder / "open_block", "{% if x %}");
  write(folder / "refuses", "{{ raise_exception('no') }}");
  write(folder / "no_end", "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}");
}

void write_manifest_seeds(const std::filesystem::path& folder) {
  outrider::data::Manifest manifest;
  manifest.identity = {"m", "01", "23", 300, 8, 4, {0, -1}, {{"max-new", "40"}, {"seed", "1"}}};
  manifest.plan = {7, 3, 1, 1};
  manifest.shards[0] = {10, "ab", "cd", 3, 30, 60, "2026-01-31T12:00:00Z", "v1", "cpu", "EPYC"};
  manifest.identity.logits_hash = "00ff";
  const std::string whole = outrider::data::manifest_text(manifest);
  write(folder / "valid_two", whole);
  outrider::data::Manifest group = manifest;
  group.identity = outrider::data::group_identity(
      manifest,
      {"draft-01",
       {{"top", outrider::data::RowsOf::kOutput, outrider::hdf5::NumberType::kFloat32, 5}},
       {{"draft", "0123"}}});
  write(folder / "valid_group", outrider::data::manifest_text(group));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  write(folder / "other_version", with("\"version\": 1", "\"version\": 9"));
  write(folder / "shard_outside", with("\"shard\": 0", "\"shard\": 3"));
  write(folder / "huge_plan",
        with("\"conversations\": 7", "\"conversations\": 9223372036854775807"));
  write(folder / "fraction", with("\"width\": 8", "\"width\": 8e300"));
  write(folder / "no_logits_hash", with("logits_hash", "other_hash"));
  write(folder / "cut", whole.substr(0, whole.size() / 2));
}

/// The first byte of a text or of tokens holds the target's options.
void write_text_seeds(const std::filesystem::path& folder) {
  write(folder / "tokenizer" / "valid_words",
        "\x01Hello the inner  hell 12345, they'll and\r\n\tdon't!");
  write(folder / "tokenizer" / "valid_special",
        "\x01<|im_start|>user\nhe<|im_end|><|im_e <|endoftext|>");
  write(folder / "tokenizer" / "valid_plain_special", "\x02<|im_start|>user");
  write(folder / "tokenizer" / "valid_unicode",
        "\x01 e\u0301 \u00e9\u4e2d\u6587\u3000\u0664 \U0001F600\u200d");
  write(folder / "tokenizer" / "valid_pieces", "\x05 a ab<s>\u4e2d\u6587 \u2581a\n\u00e9");
  write(folder / "tokenizer" / "lone_bytes",
        "\x01"
        "a\xFF\xC0\xE2\x82");
  // Ids: a byte of the text is its value + 3; 0xFF begins an id of two bytes.
  write(folder / "detokenizer" / "valid_word", "\x01khoor#zruog");
  write(folder / "detokenizer" / "valid_stop", std::string("\x02k\xFF\x06oo\x0D\x0D", 7));
  write(folder / "detokenizer" / "valid_character", "\x01\xF3\xA2\x9B\x83\xC6\xAC");
  write(folder / "detokenizer" / "valid_special", std::string("\x01\x01\x02\x00", 4));
  write(folder / "detokenizer" / "no_such_token", "\x01\xFF\xFF");
}

void write_config_seeds(const std::filesystem::path& folder) {
  write(folder / "valid_all",
        "# every kind\n[demo]\ntext = \"a\\n\\u00e9\"\nsystem = ''\nstop = [\"x\", "
        "\"[a,b]\"]\ncount = "
        "7\nheat = 1.25\nquiet = true\n[other]\nanything = 1\n");
  write(folder / "valid_empty", "[demo]\n");
  write(folder / "unknown_key", "[demo]\ncont = 7\n");
  write(folder / "out_of_range", "[demo]\ncount = 0x7fffffffffffffff\nheat = nan\n");
  write(folder / "not_toml", "[demo\ntext = ");
}

/// A length of eight bytes, the header, and so many bytes of data.
std::string safetensors(const std::string& header, std::size_t data) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> shift & 0xFF);
  return bytes + header + std::string(data, '\x3C');
}

void write_safetensors_seeds(const std::filesystem::path& folder) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})";
  write(folder / "valid_two",
        safetensors("{" + a + R"(,"b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})", 32));
  write(folder / "valid_metadata",
        safetensors(R"({"__metadata__":{"format":"pt"},)" + a + "} ", 24));
  write(folder / "valid_none", safetensors("{}", 0));
  write(folder / "overlap",
        safetensors("{" + a + R"(,"b":{"dtype":"F16","shape":[4],"data_offsets":[16,24]}})", 24));
  write(folder / "huge_shape",
        safetensors(
            R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,16],"data_offsets":[0,0]}})", 0));
  write(folder / "huge_length", std::string(8, '\x7F') + "{}");
  write(folder / "twice", safetensors("{" + a + "," + a + "}", 24));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  write_config_seeds(folder / "config");
  write_conversation_seeds(folder / "conversations");
  write_template_seeds(folder / "template");
  write_manifest_seeds(folder / "manifest");
  write_prompt_seeds(folder / "prompts");
  write_safetensors_seeds(folder / "safetensors");
  write_text_seeds(folder);
  write_all(folder / "artifact", outrider::fuzz::artifact_seeds());
  write_all(folder / "checkpoint", outrider::fuzz::checkpoint_seeds());
  write_all(folder / "gguf", outrider::fuzz::gguf_seeds());
  write_all(folder / "hf_json", outrider::fuzz::hf_json_seeds());
  write_all(folder / "shard", outrider::fuzz::shard_seeds());
}
