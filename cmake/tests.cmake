find_package(GTest REQUIRED)
# Debian's own Python: pytest comes as a Debian package.
set(MAEJIN_PYTHON /usr/bin/python3)
include(GoogleTest)

# One precompiled header for all test programs, so they are compiled with the same definitions.
file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cpp)
add_library(maejin_test_base OBJECT ${CMAKE_BINARY_DIR}/generated/test_base.cpp ${support_sources})
file(WRITE ${CMAKE_BINARY_DIR}/generated/test_base.cpp "// Carries the precompiled header of the tests.\n")
target_link_libraries(maejin_test_base PUBLIC maejin_cli GTest::gmock GTest::gtest_main)
target_include_directories(maejin_test_base PUBLIC ${CMAKE_SOURCE_DIR})
# Where the program lies, for the few tests that start it: a header, so that the others compile alike in every checkout.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/tests/program.h CONTENT
  "#pragma once\n#define MAEJIN_BINARY \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/maejin\"\n")
# What is tested is optimised as in the product; the tests themselves need to compile quickly.
target_compile_options(maejin_test_base PUBLIC -O1)
target_precompile_headers(maejin_test_base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled_tests.h)

# Unit tests lie beside their sources; every folder of tests/ is one program.
function(maejin_test_program name)
  list(LENGTH ARGN count)
  if(count EQUAL 0)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE maejin_test_base)
  target_precompile_headers(${name} REUSE_FROM maejin_test_base)
  if(count GREATER 4)
    maejin_compile_together(${name} 6)
  endif()
  add_dependencies(${name} maejin)
  set(properties TIMEOUT 300)
  if(name MATCHES "_slow_suite$")
    # Thousands of fans who are to be in time: little else runs beside them.
    set(properties TIMEOUT 900 LABELS slow PROCESSORS 2)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

foreach(room base domain usecase store server http adapters config app cli)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*_test.cpp)
  maejin_test_program(${room}_test ${sources})
endforeach()
foreach(suite contract concurrency faults simulation)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${suite}/*.cpp)
  # What takes longer than half a minute is a program of its own, and labelled so.
  set(slow_sources ${sources})
  list(FILTER slow_sources INCLUDE REGEX "_slow\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_slow\\.cpp$")
  maejin_test_program(${suite}_suite ${sources})
  maejin_test_program(${suite}_slow_suite ${slow_sources})
endforeach()

# Black-box tests of the real binary, and of the house itself, are pytest files: one ctest each.
file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*_test.py)
if(NOT MAEJIN_BENCHMARKS)
  list(FILTER scripts EXCLUDE REGEX "_bench_test\\.py$")  # they run what is not built
endif()
foreach(script ${scripts})
  cmake_path(RELATIVE_PATH script BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
  add_test(NAME ${name} COMMAND ${MAEJIN_PYTHON} -m pytest -q -p no:cacheprovider ${script}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT
    "MAEJIN_BINARY=$<TARGET_FILE:maejin>;MAEJIN_BUILD_DIR=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  # Left out of quick runs (ctest -LE slow); ./dev test runs them all.
  if(name MATCHES "^faults/|demo_test|browser_test")
    # They mostly wait for clocks: begun early, so that none of them runs on alone at the end.
    set_tests_properties(${name} PROPERTIES LABELS slow COST 500)
  endif()
  # The longest one is begun first.
  if(name MATCHES "browser_test")
    set_tests_properties(${name} PROPERTIES COST 1000 TIMEOUT 900)
  endif()
endforeach()
