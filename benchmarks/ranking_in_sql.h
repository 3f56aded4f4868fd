// The same three questions asked of tables in SQL and of maejin's own structures, in one run: a position in
// the line, a token, the ten dates with most reservations.
#pragma once

#include <cstdint>

namespace maejin::bench {

// Prints one line a question: both times, and how many times faster. Throws std::runtime_error where the answers differ.
void CompareWithSql(std::int64_t rows);

// CPU time of the calling thread, in microseconds: the machine has other things to do.
double ThreadMicros();

// The best of a few rounds, for one call of `work(i)`.
template <class Work>
double BestMicros(int rounds, int times, Work work) {
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    const auto start = ThreadMicros();
    for (int i = 0; i < times; ++i) work(i);
    const auto each = (ThreadMicros() - start) / times;
    if (each < best) best = each;
  }
  return best;
}

}  // namespace maejin::bench
