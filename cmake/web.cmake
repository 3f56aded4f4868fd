# The pages of web/, built with the Node that package-lock.json pins and embedded as one C++ source.
find_program(MAEJIN_NPM npm REQUIRED)

set(web ${CMAKE_SOURCE_DIR}/web)
set(web_installed ${web}/node_modules/.installed)
set(web_node ${web}/node_modules/.bin/node)
add_custom_command(OUTPUT ${web_installed}
  COMMAND ${web}/install ${web_installed}
  DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/.npmrc ${web}/install
  COMMENT "Installing the tools of the pages" VERBATIM)

file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/* ${web}/client/* ${web}/tools/*)
file(GLOB web_entries CONFIGURE_DEPENDS ${web}/*.html ${web}/*.ts ${web}/*.js ${web}/tsconfig.json)
set(web_cpp ${CMAKE_BINARY_DIR}/generated/web/web_files.cpp)
add_custom_command(OUTPUT ${web_cpp}
  COMMAND ${web_node} ${web}/build.ts --out ${CMAKE_BINARY_DIR}/generated/web/pages --cpp ${web_cpp}
          --openapi ${CMAKE_SOURCE_DIR}/openapi.yaml
  DEPENDS ${web_installed} ${web_sources} ${web_entries} ${CMAKE_SOURCE_DIR}/openapi.yaml
  WORKING_DIRECTORY ${web} COMMENT "Building the pages" VERBATIM)
# A separate library: only linking waits for the pages, compiling does not.
add_library(maejin_pages STATIC ${web_cpp})
target_include_directories(maejin_pages PRIVATE src)
target_link_libraries(maejin_pages PRIVATE maejin_warnings)
target_link_libraries(maejin_core INTERFACE maejin_pages)
# Pages are long texts.
set_source_files_properties(${web_cpp} PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -Wno-overlength-strings)
