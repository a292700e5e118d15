# outrider_library(NAME SOURCES file… [LINKS target…]) makes the static library outrider_NAME.
function(outrider_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(outrider_${name} STATIC ${arg_SOURCES})
  target_link_libraries(outrider_${name} PRIVATE outrider_options PUBLIC ${arg_LINKS})
endfunction()
