#include "cli/verify_shuffle.h"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "base/json_text.h"
#include "domain/waiting_room/published_draw.h"

namespace maejin::cli {
namespace {

std::string ReadAll(InputFile& file) {
  std::ostringstream text;
  text << file.stream().rdbuf();
  return text.str();
}

bool Covers(const PublishedDraw& draw, std::int64_t number) {
  return number >= draw.first && number < std::int64_t{draw.first} + draw.count;
}

// The drawn position of a number, from 1.
std::int64_t PositionOf(const PublishedDraw& draw, std::int64_t number) {
  return Shuffle(*draw.seed, draw.count).PositionOf(static_cast<std::uint32_t>(number - draw.first)) + 1;
}

std::string AsJson(const PublishedDraw& draw, std::string_view verdict,
                   std::optional<std::int64_t> position) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("commitment", draw.commitment);
    json.Field("first", static_cast<std::int64_t>(draw.first));
    json.Field("count", static_cast<std::int64_t>(draw.count));
    json.Field("verdict", verdict);
    if (position) json.Field("position", *position);
  });
}

void Print(const PublishedDraw& draw, const std::optional<DrawFault>& fault, std::int64_t number, bool json) {
  const auto verdict = fault ? Name(*fault) : "fair";
  std::optional<std::int64_t> position;
  if (!fault && Covers(draw, number)) position = PositionOf(draw, number);
  if (json) {
    fmt::print("{}\n", AsJson(draw, verdict, position));
    return;
  }
  fmt::print("{} numbers from {}, commitment {}: {}\n", draw.count, draw.first, draw.commitment, verdict);
  if (position) fmt::print("number {} was drawn to position {} of {}\n", number, *position, draw.count);
}

}  // namespace

int RunVerifyShuffle(const Invocation& invocation) {
  std::int64_t number = 0;
  if (invocation.Has("number") && !ReadNumber(invocation, "number", 1, UINT32_MAX, number)) return kExitUsage;
  const auto& file = invocation.arguments.front();
  auto input = InputFile::Open(file);
  if (!input) return Fail(input.error());
  const auto draws = ReadPublishedDraws(ReadAll(*input));
  if (!draws || draws->empty()) return Fail(fmt::format("{} holds no published shuffle", file));
  bool fair = true;
  bool drawn = number == 0;
  for (const auto& draw : *draws) {
    const auto fault = Verify(draw);
    Print(draw, fault, number, invocation.json);
    fair = fair && !fault;
    drawn = drawn || Covers(draw, number);
  }
  if (!drawn) return Fail(fmt::format("number {} was in no draw of {}", number, file));
  return fair ? kExitDone : kExitError;
}

}  // namespace maejin::cli
