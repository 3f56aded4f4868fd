# Every tests/fuzz/*_fuzz.cpp is one libFuzzer target.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE maejin_cli)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
