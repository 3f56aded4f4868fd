add_library(maejin_warnings INTERFACE)
target_compile_options(maejin_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Woverloaded-virtual -Wconversion -Wsign-conversion -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports both inside its own <memory> and Boost once coroutines are inlined.
  target_compile_options(maejin_warnings INTERFACE -Wno-maybe-uninitialized -Wno-free-nonheap-object
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-mismatched-new-delete)
endif()
