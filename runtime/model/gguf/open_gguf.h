#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/model/gguf/gguf_file.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {

/// A GGUF file with all its parts. The views of `file` point into them.
struct OpenedGguf {
  GgufFile file;  // the first part's metadata, and the tensors of all
  std::vector<std::shared_ptr<MappedFile>> parts;  // in order; one, unless the model is split
};

/// Opens a GGUF file. Of a model that is split over several files (NAME-00001-of-00003.gguf …) any part may be named; the
/// others lie beside it.
/// @throws InputError as GgufFile::parse; naming a part that is missing, or whose number or count is another
OpenedGguf open_gguf(const std::filesystem::path& path);

/// The files that `open_gguf` opens, by the name of one of them: the others need not be there.
std::vector<std::filesystem::path> gguf_parts(const std::filesystem::path& path);

}  // namespace outrider::model
