#include "app/boards_on_redis.h"

#include "adapters/embedded/database.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::app {

std::shared_ptr<BoardsOnRedis> BoardsOnRedis::Open(Dependencies deps) {
  auto connection = embedded::OpenDatabase(deps.database);
  const auto identity = std::to_string(embedded::IdentityOf(connection, deps.random));
  std::shared_ptr<BoardsOnRedis> boards(new BoardsOnRedis(std::move(deps)));
  const auto ours = RunTask(boards->store_->BindToDatabase(identity));
  if (!ours) {
    LogWarning(
        "rankings: cannot read which database the boards on Redis belong to; this node keeps its boards in "
        "memory");
    return nullptr;
  }
  if (!*ours) {
    LogWarning(
        "rankings: the boards on Redis belong to another database; this node keeps its boards in memory. If "
        "that database no longer exists, delete the key ranking:owner and restart");
    return nullptr;
  }
  boards->relay_.emplace([own = boards.get()](auto events) { return own->Apply(std::move(events)); },
                         [own = boards.get()] { return own->CatchUp(); });
  return boards;
}

BoardsOnRedis::BoardsOnRedis(Dependencies deps)
    : deps_(std::move(deps)),
      history_(deps_.journal, {deps_.database, [this] { return relay_->backlog(); }, deps_.reserve_ids}),
      store_(deps_.redis.MakeBoards(history_, deps_.random, deps_.zone)) {}

// Applies the events of the time in which no relay ran. Until then boards may lack rows, but no row is wrong.
bool BoardsOnRedis::CatchUp() {
  return RunTask(store_->EnsureComplete()).ok() && RunTask(store_->Reconcile()).ok();
}

bool BoardsOnRedis::Apply(std::vector<BookingEvent> events) {
  return RunTask(store_->Apply(std::move(events))).ok();
}

}  // namespace maejin::app
