file(READ "${IN}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${OUT}" "#pragma once\n#include <string_view>\nnamespace maejin::embedded {\n"
  "inline constexpr char ${NAME}_bytes[] = {${bytes}'\\0'};\n"
  "inline constexpr std::string_view ${NAME}{${NAME}_bytes, sizeof ${NAME}_bytes - 1};\n"
  "}  // namespace maejin::embedded\n")
