#include "tests/fuzz/hf_json_seeds.h"

#include <utility>

namespace outrider::fuzz {

std::map<std::string, std::string> hf_json_seeds() {
  std::map<std::string, std::string> seeds;
  const auto add = [&](const std::string& name, std::string seed) {
    seeds[name] = std::move(seed);
  };
  const auto tokenizer = [](const std::string& pre, const std::string& more,
                            const std::string& merges) {
    return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":4,"content":"<s>",)"
           R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
           R"("normalizer":null,"pre_tokenizer":)" +
           pre + R"(,"post_processor":)" + more +
           R"(,"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","dropout":null,"unk_token":null,)"
           R"("ignore_merges":true,"vocab":{"a":0,"b":1,"ab":2,"\u0120":3},"merges":)" +
           merges + "}}";
  };
  const std::string pieces =
      R"({"version":"1.0","added_tokens":[{"id":6,"content":"<s>","single_word":false,"lstrip":true,)"
      R"("rstrip":true,"normalized":false,"special":true},{"id":7,"content":"day","single_word":true,)"
      R"("lstrip":false,"rstrip":false,"normalized":true,"special":false}],"normalizer":{"type":"Sequence",)"
      R"("normalizers":[{"type":"Prepend","prepend":"\u2581"},{"type":"Replace","pattern":{"String":" "},)"
      R"("content":"\u2581"}]},"pre_tokenizer":null,"post_processor":null,"decoder":{"type":"Sequence",)"
      R"("decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},)"
      R"({"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"BPE",)"
      R"("unk_token":"<unk>","fuse_unk":true,"byte_fallback":true,"vocab":{"<unk>":0,"<0x61>":1,"\u2581":2,)"
      R"("a":3,"b":4,"\u2581a":5},"merges":["\u2581 a"]}})";
  std::string unknown = pieces;
  unknown.replace(unknown.find("<unk>\","), 5, "<no>");
  std::string metaspace = pieces;
  const std::size_t decoder = metaspace.find(R"({"type":"Sequence","decoders")");
  metaspace.replace(decoder, metaspace.find(R"(,"model")") - decoder,
                    R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first"})");
  const std::string byte_level =
      R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true})";
  const std::string digits =
      R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},)" +
      byte_level + "]}";
  const std::string start =
      R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},)"
      R"({"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}})";
  add("valid_pairs", tokenizer(byte_level, "null", R"([["a","b"]])"));
  add("valid_lines", tokenizer(digits, byte_level, R"(["a b"])"));
  add("valid_start", tokenizer(digits, start, "[]"));
  add("valid_pieces", pieces);
  add("valid_metaspace", metaspace);
  add("bad_unknown", unknown);
  add("bad_merge", tokenizer(digits, "null", R"([["a"]])"));
  add("bad_pre", tokenizer(R"({"type":"Metaspace"})", "null", "[]"));
  add("config",
      R"({"model_type":"llama","hidden_size":64,"intermediate_size":96,"num_hidden_layers":2,)"
      R"("num_attention_heads":2,"num_key_value_heads":1,"max_position_embeddings":512,)"
      R"("rms_norm_eps":1e-06,"rope_parameters":{"rope_theta":50000.0,"rope_type":"default"},)"
      R"("tie_word_embeddings":true,"vocab_size":384,"eos_token_id":[1,2]})");
  add("config_windows",
      R"({"model_type":"phi3","hidden_size":32,"intermediate_size":96,"num_hidden_layers":2,)"
      R"("num_attention_heads":2,"max_position_embeddings":512,"rms_norm_eps":1e-06,)"
      R"("original_max_position_embeddings":64,"partial_rotary_factor":0.5,"rope_scaling":)"
      R"({"type":"longrope","short_factor":[1,1.5,2,3],"long_factor":[1,2,3,4]},"vocab_size":384,)"
      R"("sliding_window":16,"layer_types":["sliding_attention","sliding_attention"]})");
  add("config_opt",
      R"({"model_type":"opt","hidden_size":64,"ffn_dim":96,"num_hidden_layers":2,)"
      R"("num_attention_heads":2,"max_position_embeddings":160,"do_layer_norm_before":true,)"
      R"("word_embed_proj_dim":64,"activation_function":"relu","vocab_size":384})");
  add("config_bloom", R"({"model_type":"bloom","n_embed":64,"n_layer":2,"num_attention_heads":2,)"
                      R"("layer_norm_epsilon":1e-05,"seq_length":2048,"vocab_size":384})");
  return seeds;
}

}  // namespace outrider::fuzz
