// Ranks that do not rise, although a room that was lost fills again and any node may ask.
#include <algorithm>
#include <tuple>

#include "adapters/redis/waiting_room/room_scripts.h"
#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "base/numbers.h"

namespace maejin::redis {
namespace {

constexpr std::size_t kPiecesAtOnce = 8;
// As room.lua says it instead of how many were admitted.
constexpr std::int64_t kSettled = -1;
constexpr std::int64_t kOvertaken = -2;

}  // namespace

// Fans who come back after a loss would push each other's ranks up: until that is over a fan is told the least that any node
// told it before, less those who were admitted since; a newcomer, that all of before and all newcomers before it are ahead.
// Until the nodes have agreed on the least, only whom this node told last for sure is told that again; and whom others overtook
// waits for a rank.
std::optional<std::uint32_t> WaitingRoomStore::Steady(const Known& known, const PlaceAnswer& answer,
                                                      std::uint32_t rank, std::int64_t admitted, Time now) {
  auto& witness = *known.witness;
  const auto number = answer.standing.number;
  const auto tell = [&](std::int64_t told) {
    const auto shown = static_cast<std::uint32_t>(std::max<std::int64_t>(told, 0));
    witness.told.Tell(number, shown, now, answer.standing.poll_after);
    return shown;
  };
  if (admitted == kSettled) return tell(rank);
  if (admitted == kOvertaken) return {};
  const auto last = witness.told.Last(number).value_or(UINT32_MAX);
  if (number > known.lost_number) {
    const auto newcomers = number - known.lost_number - 1;
    return tell(std::min<std::int64_t>(std::int64_t{known.lost_waiting} + newcomers - admitted, last));
  }
  if (const auto agreed = witness.agreed.Of(known.lost_at, number))
    return tell(std::min<std::int64_t>(*agreed - admitted, last));
  const auto mine = witness.told.LastOfAll(number, now);
  if (!mine) return {};
  return tell(*mine);
}

// While nobody is admitted after a loss the nodes tell what they told; afterwards each reads what all of them told.
Task<void> WaitingRoomStore::AgreeOnRanks(RoomId room, Time now) {
  const auto known = Find(room);
  if (!known || !Settling(room, now) || known->witness->agreed.Knows(known->lost_at)) co_return;
  auto& told = watches_[room].told_of;
  if (told != known->lost_at) {
    auto pieces = known->witness->told.Pieces();
    for (std::size_t at = 0; at < pieces.size(); at += kPiecesAtOnce) {
      auto arguments = RanksArguments(*known, now);
      const auto end = std::min(at + kPiecesAtOnce, pieces.size());
      for (auto i = at; i < end; ++i) arguments.Arg(pieces[i].index).Arg(pieces[i].bytes);
      const auto taken = co_await client_.Eval(RoomScripts::Get().told, std::move(arguments));
      if (!taken || taken->At(0).AsInteger() < 0) co_return;
    }
    told = known->lost_at;
  }
  const auto closed = co_await client_.Eval(RoomScripts::Get().told, RanksArguments(*known, now));
  if (!closed || closed->At(0).AsInteger() != 1) co_return;
  co_await ReadRanks(known);
}

ScriptArguments WaitingRoomStore::RanksArguments(const Known& known, Time now) const {
  const auto keys = KeysOf(known.info.room);
  auto arguments = keys.Arguments("");
  arguments.Key(keys.ToldRanks()).Arg(ToMillis(now)).Arg(0).Arg(ToMillis(known.lost_at));
  return arguments;
}

Task<void> WaitingRoomStore::ReadRanks(KnownPtr known) {
  const auto key = KeysOf(known->info.room).ToldRanks();
  std::vector<RanksPiece> pieces;
  std::string cursor = "0";
  do {
    auto page = co_await client_.Call(Command("HSCAN").Key(key).Word(cursor).Word("COUNT").Word("50"));
    if (!page) co_return;
    cursor = page->At(0).text;
    const auto& fields = page->At(1).elements;
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
      if (const auto index = WholeNumber<std::size_t>(fields[i].text))
        pieces.push_back({*index, fields[i + 1].text});
    }
  } while (cursor != "0");
  known->witness->agreed.Take(known->lost_at, std::move(pieces));
}

}  // namespace maejin::redis
