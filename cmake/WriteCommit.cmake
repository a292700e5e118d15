# cmake -DSOURCE=folder -DFILE=header -P WriteCommit.cmake: the commit that the sources are at, as a
# header. It is left alone where it says so already, so that nothing is built anew.
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(
  COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
set(text "#define OUTRIDER_COMMIT \"${commit}\"\n")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT "${text}" STREQUAL "${before}")
  file(WRITE ${FILE} "${text}")
endif()
