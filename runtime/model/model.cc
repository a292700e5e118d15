#include "runtime/model/model.h"

#include "runtime/model/gguf_file.h"
#include "runtime/model/load_gguf.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {

void Model::release_pages() const {
  if (file) file->release_pages();
}

Model parse_model(std::span<const std::byte> bytes, const std::string& name) {
  return load_gguf(GgufFile::parse(bytes, name));
}

Model load_model(const std::filesystem::path& path) {
  auto file = std::make_shared<MappedFile>(path);
  Model model = parse_model(file->bytes(), path.string());
  model.path = path;
  model.file = std::move(file);
  return model;
}

}  // namespace outrider::model
