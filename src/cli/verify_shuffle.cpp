#include "cli/verify_shuffle.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "domain/published_draw.h"

namespace maejin::cli {
namespace {

std::string ReadAll(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
  } else {
    text << std::ifstream(file).rdbuf();
  }
  return text.str();
}

void Print(const PublishedDraw& draw, const std::optional<DrawFault>& fault, bool json) {
  const auto verdict = fault ? Name(*fault) : "fair";
  if (json) {
    fmt::print(R"({{"commitment":"{}","count":{},"verdict":"{}"}})"
               "\n",
               draw.commitment, draw.count, verdict);
  } else {
    fmt::print("{} numbers from {}, commitment {}: {}\n", draw.count, draw.first, draw.commitment, verdict);
  }
}

}  // namespace

int RunVerifyShuffle(const Invocation& invocation) {
  const auto draws = ReadPublishedDraws(ReadAll(invocation.arguments.front()));
  if (!draws || draws->empty()) {
    fmt::print(stderr, "maejin: {} holds no published shuffle\n", invocation.arguments.front());
    return kExitError;
  }
  std::int64_t number = 0;
  if (invocation.Has("number") && !ReadNumber(invocation, "number", 1, UINT32_MAX, number)) return kExitUsage;
  bool fair = true;
  for (const auto& draw : *draws) {
    const auto fault = Verify(draw);
    Print(draw, fault, invocation.json);
    fair = fair && !fault;
    if (fault || number < draw.first || number >= std::int64_t{draw.first} + draw.count) continue;
    const auto position =
        Shuffle(*draw.seed, draw.count).PositionOf(static_cast<std::uint32_t>(number - draw.first));
    fmt::print("number {} was drawn to position {} of {}\n", number, position + 1, draw.count);
  }
  return fair ? kExitDone : kExitError;
}

}  // namespace maejin::cli
