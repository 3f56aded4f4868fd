#include "app/key_rotation.h"

#include "adapters/embedded/key_store.h"
#include "base/json_text.h"

namespace maejin::app {

Result<embedded::Ticket, std::string> RotateKeys(const KeyRotation& rotation, std::string_view actor,
                                                 Time now) {
  const auto rotated = embedded::RotateKeys(rotation.folder, rotation.random, rotation.ring);
  if (!rotated) return rotated.error();
  const auto detail =
      JsonObjectText([&](JsonWriter& json) { json.Field("kid", rotation.ring.keys()->signer_ids.front()); });
  embedded::WriteSet rows;
  return rotation.audit.Append(rows, {now, actor, "keys.rotate", "signing keys", detail});
}

}  // namespace maejin::app
