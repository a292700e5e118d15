#include "calibrate/answers/journal_of.h"

#include <fmt/core.h>

#include <bit>
#include <initializer_list>
#include <span>

#include "runtime/base/hash.h"
#include "runtime/model/identity.h"

namespace outrider::calibrate {
namespace {

std::filesystem::path path_of(const std::filesystem::path& artifact, const std::string& part) {
  return fmt::format("{}.{}.part", artifact.string(), part);
}

void add_reals(std::initializer_list<double> numbers, Hasher& work) {
  for (const double number : numbers) work.add_number(std::bit_cast<std::uint64_t>(number));
}

/// How the target chose, or is to choose, an answer's tokens.
void add_choice(const Answer& answer, Hasher& work) {
  const sampling::SamplerOptions& sampler = answer.sampler;
  add_reals({sampler.temperature, sampler.top_p, sampler.min_p, sampler.repetition_penalty,
             sampler.presence_penalty, sampler.frequency_penalty},
            work);
  work.add_number(static_cast<std::uint64_t>(sampler.top_k));
  work.add_number(sampler.logit_bias.size());
  for (const auto& [token, bias] : sampler.logit_bias)
    add_reals({static_cast<double>(token), bias}, work);
  work.add_number(answer.sequence_seed);
  for (const int most : {answer.most_new(), answer.most_tokens()})
    work.add_number(static_cast<std::uint64_t>(most));
}

std::string work_of(const std::string& part, const inference::Target& target,
                    const std::vector<Answer>& answers, const std::string& settings) {
  Hasher work;
  for (const std::string& text : {part, settings, model::model_hash(target.model()),
                                  std::string(target.engine().numerics_name())})
    work.add_text(text);
  for (const Answer& answer : answers) {
    work.add_text(answer.id);
    work.add_text(answer.task);
    work.add_number(static_cast<std::uint64_t>(answer.prompt));
    work.add_number(answer.tokens.size());
    work.add(std::as_bytes(std::span(answer.tokens)));
    work.add_number(answer.in_loop.size());
    work.add(std::as_bytes(std::span(answer.in_loop)));
    add_choice(answer, work);
  }
  return work.hex();
}

}  // namespace

data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings) {
  return {path_of(artifact, part), work_of(part, target, answers, settings)};
}

data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings, const WorkShare& share, std::size_t entries) {
  return {path_of(artifact, part), work_of(part, target, answers, settings), share, entries};
}

data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const model::Model& model, const std::string& traces) {
  Hasher work;
  for (const std::string& text : {part, model::model_hash(model), traces}) work.add_text(text);
  return {path_of(artifact, part), work.hex()};
}

data::Journal journal_in(const std::filesystem::path& folder, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings) {
  const std::string work = work_of(part, target, answers, settings);
  return {path_of(folder / work, part), work};
}

std::size_t kept_in_journal(const std::filesystem::path& artifact, const std::string& part,
                            const inference::Target& target, const std::vector<Answer>& answers,
                            const std::string& settings) {
  return data::Journal::count_kept(path_of(artifact, part),
                                   work_of(part, target, answers, settings));
}

}  // namespace outrider::calibrate
