find_package(GTest REQUIRED)
# Debian's Python: pytest is a Debian package.
set(MAEJIN_PYTHON /usr/bin/python3)
include(GoogleTest)

# One precompiled header for all test programs, which therefore share their compile definitions.
file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.cpp)
add_library(maejin_test_base OBJECT ${CMAKE_BINARY_DIR}/generated/test_base.cpp ${support_sources})
file(WRITE ${CMAKE_BINARY_DIR}/generated/test_base.cpp "// For the precompiled header of the tests.\n")
target_link_libraries(maejin_test_base PUBLIC maejin_program GTest::gmock GTest::gtest_main)
target_include_directories(maejin_test_base PUBLIC ${CMAKE_SOURCE_DIR})
# The path of the program, for tests that start it. A header, so that ccache shares the other tests between
# checkouts.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/tests/program.h CONTENT
  "#pragma once\n#define MAEJIN_BINARY \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/maejin\"\n")
# -Og compiles fastest; the tested code keeps the optimisation of the product.
target_compile_options(maejin_test_base PUBLIC -Og)
target_precompile_headers(maejin_test_base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled_tests.h)

# One program per folder of src (unit tests beside their sources) and per folder of tests.
function(maejin_test_program name)
  list(LENGTH ARGN count)
  if(count EQUAL 0)
    return()
  endif()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE maejin_test_base)
  target_precompile_headers(${name} REUSE_FROM maejin_test_base)
  if(count GREATER 4)
    maejin_unity_build(${name} 12)
  endif()
  add_dependencies(${name} maejin)
  set(properties TIMEOUT 900)
  if(name MATCHES "_slow_suite$")
    # Thousands of fans must poll in time, so these tests reserve two processors.
    set(properties TIMEOUT 900 LABELS slow PROCESSORS 2)
  elseif(name MATCHES "_test$" AND NOT name STREQUAL "adapters_test")
    list(APPEND properties LABELS quick)  # ./dev test --quick: no Redis or MariaDB server
  endif()
  set_property(GLOBAL APPEND PROPERTY maejin_test_programs ${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

foreach(folder base domain usecase store server http adapters config app cli)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*_test.cpp)
  if(folder STREQUAL "adapters")
    # Adapters without a Redis or MariaDB server are a program of their own.
    set(embedded_sources ${sources})
    list(FILTER embedded_sources EXCLUDE REGEX "/adapters/(redis|mysql)/")
    maejin_test_program(embedded_test ${embedded_sources})
    list(FILTER sources INCLUDE REGEX "/adapters/(redis|mysql)/")
  endif()
  maejin_test_program(${folder}_test ${sources})
endforeach()
foreach(suite contract concurrency faults simulation)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${suite}/*.cpp)
  # Tests that take longer than half a minute are a program of their own, with the label `slow`.
  set(slow_sources ${sources})
  list(FILTER slow_sources INCLUDE REGEX "_slow\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_slow\\.cpp$")
  maejin_test_program(${suite}_suite ${sources})
  maejin_test_program(${suite}_slow_suite ${slow_sources})
endforeach()

# Black-box tests of the binary and checks of the sources are pytest files: one ctest each.
file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*_test.py)
if(NOT MAEJIN_BENCHMARKS)
  list(FILTER scripts EXCLUDE REGEX "_bench_test\\.py$")  # they run the benchmarks
endif()
foreach(script ${scripts})
  cmake_path(RELATIVE_PATH script BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
  set_property(GLOBAL APPEND PROPERTY maejin_python_tests ${name})
  add_test(NAME ${name} COMMAND ${MAEJIN_PYTHON} -m pytest -q -p no:cacheprovider ${script}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT
    "MAEJIN_BINARY=$<TARGET_FILE:maejin>;MAEJIN_BUILD_DIR=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  if(name MATCHES "^faults/|demo_test|browser_test")
    # These mostly wait for time to pass: started early, they do not prolong the run.
    set_tests_properties(${name} PROPERTIES LABELS slow COST 500)
  endif()
  # The longest test starts first.
  if(name MATCHES "browser_test")
    set_tests_properties(${name} PROPERTIES COST 1000 TIMEOUT 1500)
  endif()
endforeach()

add_subdirectory(${CMAKE_SOURCE_DIR}/cmake/time_limits ${CMAKE_BINARY_DIR}/time_limits)
