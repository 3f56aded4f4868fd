#include "adapters/redis/ranking/scripts.h"

#include "embedded/redis_scripts.h"

namespace maejin::redis {

const RankingScripts& RankingScripts::Get() {
  const auto script = [](std::string_view text) { return Script(std::string(text)); };
  static const RankingScripts kScripts{
      script(scripts::ranking_add),           script(scripts::ranking_remove),
      script(scripts::ranking_read),          script(scripts::ranking_ranks),
      script(scripts::ranking_progress_read), script(scripts::ranking_drop),
      script(scripts::ranking_build),         script(scripts::ranking_progress),
      script(scripts::ranking_replace),       script(scripts::ranking_check_state),
      script(scripts::ranking_mark_complete)};
  return kScripts;
}

}  // namespace maejin::redis
