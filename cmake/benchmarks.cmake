# Every benchmarks/*_bench.cpp is one program; `./dev bench NAME` runs it, tests run its small mode.
find_package(benchmark REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/benchmarks/*_bench.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE maejin_core benchmark::benchmark)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
endforeach()
