#include "adapters/webhook/target_check.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include <netinet/in.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/await.h"
#include "base/timer.h"
#include "domain/public_address.h"

namespace maejin::webhook {
namespace {

using Tcp = boost::asio::ip::tcp;

using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;

constexpr std::chrono::seconds kResolveLimit{2};

struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor), timer(executor) {}
  Resolver resolver;
  SteadyTimer timer;
  bool allowed = true;
};

}  // namespace

bool MayConnect(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    Ipv4 bytes{};
    std::memcpy(bytes.data(), &in.sin_addr, bytes.size());
    return IsPublic(bytes);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &address, sizeof in);
    Ipv6 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return IsPublic(bytes);
  }
  return false;
}

namespace {

bool AllPublic(const Resolver::results_type& found) {
  return std::all_of(found.begin(), found.end(),
                     [](const auto& each) { return MayConnect(*each.endpoint().data()); });
}

}  // namespace

Task<bool> MayResolve(std::string host) {
  const auto executor = co_await boost::asio::this_coro::executor;
  // The look-up owns a share of this object: a look-up cannot be ended, and may outlive this task.
  const auto lookup = std::make_shared<Lookup>(executor);
  lookup->timer.expires_after(kResolveLimit);
  lookup->resolver.async_resolve(
      host, "", [lookup](const boost::system::error_code& error, const Resolver::results_type& found) {
        if (!error) lookup->allowed = AllPublic(found);
        lookup->timer.cancel();
      });
  co_await lookup->timer.async_wait(kAwait);
  co_return lookup->allowed;
}

}  // namespace maejin::webhook
