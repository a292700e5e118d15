# Xgrammar::Xgrammar: what scripts/setup compiles once, for runtime/grammar alone.
set(xgrammar_root ${PROJECT_SOURCE_DIR}/third_party/xgrammar)
if(NOT EXISTS ${xgrammar_root}/complete)
  message(FATAL_ERROR
    "xgrammar is not in ${xgrammar_root}: run scripts/setup grammar, or build without JSON schemas with -DOUTRIDER_GRAMMAR=OFF")
endif()

add_library(Xgrammar::Xgrammar STATIC IMPORTED)
set_target_properties(Xgrammar::Xgrammar PROPERTIES
  IMPORTED_LOCATION ${xgrammar_root}/lib/libxgrammar.a
  INTERFACE_INCLUDE_DIRECTORIES ${xgrammar_root}/include
  INTERFACE_LINK_LIBRARIES Threads::Threads)
