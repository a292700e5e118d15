#include "runtime/artifacts/ngrammys_group.h"

#include <fmt/core.h>

#include "runtime/artifacts/checked_numbers.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxMeasure = 64;
constexpr const char* kTokensPerPass = "/tokens_per_pass";

std::vector<Token> read_tokens(const ArtifactFile& file, const std::string& path,
                               const hdf5::Dims& dims) {
  std::vector<Token> tokens = file.reader().read<std::int32_t>(path, dims);
  for (const Token token : tokens) {
    if (token >= 0 && token < file.target().vocab) continue;
    file.reader().refuse(
        path, fmt::format("expected tokens below {}, found {}", file.target().vocab, token));
  }
  return tokens;
}

void read_extension(const ArtifactFile& file, const std::string& group,
                    draft::NgramTables& tables) {
  const std::string path = group + "/bigram/extended";
  const auto vocab = static_cast<std::uint64_t>(file.target().vocab);
  tables.extended = read_tokens(file, path, {vocab, hdf5::Reader::kAny, hdf5::Reader::kAny});
  const hdf5::Dims dims = file.reader().info(path).dims;
  if (dims[1] < 1 || dims[1] > static_cast<std::uint64_t>(tables.top) || dims[2] < 1)
    file.reader().refuse(path, "has no sensible shape");
  tables.extended_rows = static_cast<int>(dims[1]);
  tables.extended_length = static_cast<int>(dims[2]);
}

}  // namespace

void write_ngrammys(const draft::NgramTables& tables, hdf5::Writer& file,
                    const std::string& group) {
  const auto vocab = static_cast<std::uint64_t>(tables.vocab());
  const auto top = static_cast<std::uint64_t>(tables.top);
  file.add<std::int32_t>(group + "/unigram", {vocab}, tables.unigram, hdf5::Packing::kPacked);
  file.add_text(group + "/unigram_measure", tables.unigram_measure);
  file.add<std::int32_t>(group + "/bigram/next", {vocab, top}, tables.next, hdf5::Packing::kPacked);
  file.add<float>(group + "/bigram/log_probs", {vocab, top}, tables.log_probs,
                  hdf5::Packing::kPacked);
  file.add_text(group + "/bigram/context", tables.bigram_context);
  if (tables.extended_rows > 0) {
    const hdf5::Dims dims = {vocab, static_cast<std::uint64_t>(tables.extended_rows),
                             static_cast<std::uint64_t>(tables.extended_length)};
    file.add<std::int32_t>(group + "/bigram/extended", dims, tables.extended,
                           hdf5::Packing::kPacked);
  }
  file.add_text(group + "/numerics", tables.numerics);
  for (const auto& [table, rate] : tables.tokens_per_pass)
    file.add_number<double>(fmt::format("{}{}/{}", group, kTokensPerPass, table), rate);
}

draft::NgramTables read_ngrammys(const ArtifactFile& file) {
  const std::string group = kNgrammys;
  const hdf5::Reader& reader = file.reader();
  check_is_current(reader, group, {"/bigram/context"});
  const auto vocab = static_cast<std::uint64_t>(file.target().vocab);
  draft::NgramTables tables;
  tables.unigram = read_tokens(file, group + "/unigram", {vocab});
  tables.unigram_measure = reader.read_text(group + "/unigram_measure", kMaxMeasure);
  tables.next = read_tokens(file, group + "/bigram/next", {vocab, hdf5::Reader::kAny});
  const std::uint64_t top = tables.next.size() / vocab;
  if (top < 1 || top > vocab) reader.refuse(group + "/bigram/next", "has no sensible width");
  tables.top = static_cast<int>(top);
  tables.log_probs = reader.read<float>(group + "/bigram/log_probs", {vocab, top});
  check_finite(reader, group + "/bigram/log_probs", tables.log_probs);
  tables.bigram_context = reader.read_text(group + "/bigram/context", kMaxMeasure);
  if (reader.has(group + "/bigram/extended")) read_extension(file, group, tables);
  tables.numerics = reader.read_text(group + "/numerics", kMaxMeasure);
  if (reader.is_group(group + kTokensPerPass))
    for (const std::string& table : reader.names(group + kTokensPerPass))
      tables.tokens_per_pass[table] =
          reader.read_number<double>(fmt::format("{}{}/{}", group, kTokensPerPass, table));
  return tables;
}

}  // namespace outrider::artifacts
