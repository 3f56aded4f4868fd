#include "app/lent_boards.h"

#include "adapters/embedded/database.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::app {

std::shared_ptr<LentBoards> LentBoards::Borrow(Parts parts) {
  auto connection = embedded::OpenDatabase(parts.database);
  const auto identity = std::to_string(embedded::IdentityOf(connection, parts.random));
  std::shared_ptr<LentBoards> boards(new LentBoards(std::move(parts)));
  const auto ours = RunTask(boards->store_->TellOf(identity));
  if (!ours) {
    LogWarning("rankings: Redis does not say whose boards it keeps; ours stay in the data folder");
    return nullptr;
  }
  if (!*ours) {
    LogWarning(
        "rankings: the boards in Redis tell of another database; ours stay in the data folder. If that "
        "database is no "
        "more, delete the key ranking:owner and start again");
    return nullptr;
  }
  boards->relay_.emplace([own = boards.get()](auto events) { return own->Apply(std::move(events)); },
                         [own = boards.get()] { return own->CatchUp(); });
  return boards;
}

LentBoards::LentBoards(Parts parts)
    : parts_(std::move(parts)),
      history_(parts_.journal, {parts_.database, [this] { return relay_->backlog(); }, parts_.claim}),
      store_(parts_.redis.MakeBoards(history_, parts_.random, parts_.zone)) {}

// What happened while nobody handed it on. Until then the boards may lack it, but tell nothing wrong of the rest.
bool LentBoards::CatchUp() { return RunTask(store_->Warm()).ok() && RunTask(store_->Reconcile()).ok(); }

bool LentBoards::Apply(std::vector<BookingEvent> events) {
  return RunTask(store_->Apply(std::move(events))).ok();
}

}  // namespace maejin::app
