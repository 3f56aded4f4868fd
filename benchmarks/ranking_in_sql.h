// Compares SQL tables with maejin's structures in one run: a position in the line, a token lookup, and the
// ten dates with most reservations.
#pragma once

#include <cstdint>

namespace maejin::bench {

// Prints both times and their ratio per query. Throws std::runtime_error if the answers differ.
void CompareWithSql(std::int64_t rows);

// CPU time of the calling thread, in microseconds, so that other load does not count.
double ThreadMicros();

// The time of one call of `work(i)`: the best of a few rounds.
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
