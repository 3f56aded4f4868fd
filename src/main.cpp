#include <cstdio>

int main() {
  std::puts("maejin " MAEJIN_VERSION);
  return 0;
}
