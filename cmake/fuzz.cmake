# Every tests/fuzz/*_fuzz.cpp is one libFuzzer target. Its seeds lie in tests/fuzz/corpus/NAME.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE maejin_program)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(MAEJIN_TESTS)
    # Three seconds each; `./dev fuzz` runs longer. The seed is fixed, and findings stay in the build folder.
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/corpus/${name})
    add_test(NAME fuzz/${name} COMMAND ${name} -max_total_time=3 -seed=1 -timeout=30 -verbosity=0
      -print_final_stats=1 -artifact_prefix=${CMAKE_BINARY_DIR}/findings-${name}-
      ${CMAKE_BINARY_DIR}/corpus/${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 120)
  endif()
endforeach()
