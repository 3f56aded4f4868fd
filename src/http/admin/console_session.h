// The operator's session in the console. The server gives a sealed cookie for a key, so that the page keeps
// no key. The cookie contains the key's digest, encrypted and signed with the signing keys that all nodes
// share. So every node accepts the session, and the session ends when its key does.
//
// A page of another site can make a browser send the cookie. So a request with it must come from a page of
// this server: by Origin, and by Sec-Fetch-Site where the browser sends it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "server/admin_key.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// Thread-safe.
class ConsoleSessions {
 public:
  static constexpr std::chrono::hours kLifetime{12};

  struct Parts {
    const KeyRing& keys;
    const Clock& clock;
    // Finds the operator whose key has this digest, also the key in the key file. Absent: no operator has the
    // key, or not any more.
    FindOperator find;
    // maejin's address as browsers see it. Empty: the request's own host.
    std::string public_url;
  };
  explicit ConsoleSessions(Parts parts) : parts_(std::move(parts)) {}

  struct Session {
    OperatorIdentity identity;
    Time expires_at;
  };
  // Begins a session for an accepted key, and sets its cookie. Refuses: kUnauthorized (no operator),
  // kForbidden (a page of another site asks).
  Outcome<Session> Begin(const Request& request, std::string_view key, Response& response);
  // Ends the request's session on this node, and removes its cookie.
  void End(const Request& request, Response& response);
  // The session of the request; absent: it has no cookie. Refuses: kUnauthorized (invalid, ended, expired),
  // kForbidden (a page of another site asks).
  std::optional<Outcome<Session>> Find(const Request& request) const;

 private:
  struct Content {
    std::string id;
    Time expires_at;
    Digest key;
  };
  std::string Seal(const Content& content) const;
  std::optional<Content> Unseal(std::string_view text) const;
  bool IsSecure(const Request& request) const;
  std::string_view CookieIn(const Request& request) const;
  // Whether a page of this server made the request.
  bool IsOwnPage(const Request& request) const;

  const Parts parts_;
  mutable std::mutex mutex_;
  std::map<std::string, Time> ended_;  // guarded by mutex_: session ids until they expire
};

}  // namespace maejin::http
