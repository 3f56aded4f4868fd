# Every benchmarks/*_bench.cpp is one program; `./dev bench NAME` runs it, tests run its small mode.
# The other files of benchmarks/ are shared by them.
find_package(benchmark REQUIRED)
file(GLOB helpers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/benchmarks/*.cpp)
list(FILTER helpers EXCLUDE REGEX "_bench\\.cpp$")
add_library(maejin_bench_base STATIC ${helpers})
target_include_directories(maejin_bench_base PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(maejin_bench_base PUBLIC maejin_cli)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/benchmarks/*_bench.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE maejin_bench_base benchmark::benchmark)
endforeach()
