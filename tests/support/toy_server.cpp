#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/admin/health_routes.h"
#include "http/problem.h"
#include "tests/support/toy_server.h"

namespace maejin::http {

ToyServer::ToyServer(ServerOptions options, const std::function<Handler(Handler)>& around_effects) {
  AddRoutes();
  AddSlowRoutes();
  AddExhaustingRoutes();
  AddEffects(around_effects);
  AddHealthRoutes(router_, {&metrics_, {}, {}, [this] { return server_ && server_->draining(); }});
  if (options.threads == 0) options.threads = 2;
  server_ = std::make_unique<Server>(
      router_, options,
      ServerDependencies{.admin_key = AdminKey("secret"), .problems = Problems(), .metrics = &metrics_});
  const auto bound = server_->Listen("127.0.0.1:0");
  if (!bound.ok()) throw std::runtime_error(bound.error());
  address_ = bound->text;
  server_->Start();
}

ToyServer::~ToyServer() {
  Release();
  server_.reset();
}

::maejin::testing::RawResponse ToyServer::Ask(const std::string& request) const {
  auto client = Connect();
  auto response = client.Ask(request);
  EXPECT_TRUE(response) << request;
  return response.value_or(::maejin::testing::RawResponse{});
}

void ToyServer::AddRoutes() {
  Route hello;
  hello.pattern = "/hello";
  hello.inline_handler = [](const Request&, Response& response) {
    response.body = R"({"hello":"world"})";
    return true;
  };
  router_.Add(hello);

  Route echo;
  echo.method = Method::kPost;
  echo.pattern = "/echo/{name}";
  echo.inline_handler = [](const Request& request, Response& response) {
    response.content_type = "text/plain";
    response.body.assign(request.params[0])
        .append("|")
        .append(request.body)
        .append("|")
        .append(request.client);
    return true;
  };
  router_.Add(echo);

  Route admin;
  admin.pattern = "/admin";
  admin.access = Access::kAdmin;
  admin.handler = [](const Request&, Response& response) -> Task<Outcome<Done>> {
    response.body = "{}";
    co_return Done{};
  };
  router_.Add(admin);

  Route refuses;
  refuses.pattern = "/refuses";
  refuses.handler = [](const Request&, Response&) -> Task<Outcome<Done>> { co_return Refusal::kSeatHeld; };
  router_.Add(refuses);

  Route throws;
  throws.pattern = "/throws";
  throws.handler = [](const Request&, Response&) -> Task<Outcome<Done>> {
    throw std::runtime_error("a bug");
    co_return Done{};
  };
  router_.Add(throws);

  Route throws_inline;
  throws_inline.pattern = "/throws-inline";
  throws_inline.inline_handler = [](const Request&, Response&) -> bool { throw std::runtime_error("a bug"); };
  router_.Add(throws_inline);

  Route large;
  large.pattern = "/large";
  large.inline_handler = [](const Request&, Response& response) {
    response.content_type = "text/plain";
    response.body.assign(4'000'000, 'x');
    return true;
  };
  router_.Add(large);

  Route pay;
  pay.pattern = "/pay";
  pay.priority = Priority::kPay;
  pay.inline_handler = hello.inline_handler;
  router_.Add(pay);

  Route shared;
  shared.pattern = "/shared";
  shared.inline_handler = [body = std::make_shared<const std::string>(4'000'000, 's')](const Request&,
                                                                                       Response& response) {
    response.content_type = "text/plain";
    response.shared_body = body;
    return true;
  };
  router_.Add(shared);
}

void ToyServer::AddSlowRoutes() {
  Route wait;
  wait.pattern = "/wait";
  wait.priority = Priority::kJoin;
  wait.handler = [this](const Request&, Response& response) -> Task<Outcome<Done>> {
    const auto start = [this](auto handler) {
      auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      auto executor = boost::asio::get_associated_executor(*shared);
      const std::lock_guard lock(mutex_);
      waiting_.push_back(
          [shared, executor] { boost::asio::post(executor, [shared] { std::move (*shared)(); }); });
    };
    const auto& token = boost::asio::use_awaitable_t<Executor>{};
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void()>(start, token);
    response.body = R"({"waited":true})";
    co_return Done{};
  };
  router_.Add(wait);

  Route upload;
  upload.method = Method::kPost;
  upload.pattern = "/upload/{name}";
  upload.upload = [](const Request& request, BodyReader& body, Response& response) -> Task<Outcome<Done>> {
    std::size_t size = 0;
    std::size_t sum = 0;
    while (true) {
      const auto piece = co_await body.Next();
      if (!piece.ok()) co_return piece.error();
      if (piece->empty()) break;
      size += piece->size();
      for (const char c : *piece) sum += static_cast<unsigned char>(c);
    }
    response.content_type = "text/plain";
    response.body = std::string(request.params[0]) + " " + std::to_string(size) + " " + std::to_string(sum);
    co_return Done{};
  };
  router_.Add(upload);

  Route stream;
  stream.pattern = "/stream";
  stream.stream = [this](const Request& request, std::shared_ptr<EventStream> listener) -> Outcome<Done> {
    if (request.Query("refuse")) return Refusal::kRoomNotFound;
    listener->Send(std::make_shared<const std::string>("data: welcome\n\n"));
    if (request.Query("large")) {
      listener->Send({std::make_shared<const std::string>(16'000'000, 'l'), &withdrawn_});
    }
    const std::lock_guard lock(mutex_);
    streams_.push_back(std::move(listener));
    return Done{};
  };
  router_.Add(stream);
}

// Routes that answer with a text that may be withdrawn, or run out of memory.
void ToyServer::AddExhaustingRoutes() {
  Route withdrawable;
  withdrawable.pattern = "/withdrawable";
  withdrawable.inline_handler = [this](const Request&, Response& response) {
    response.shared_body = {std::make_shared<const std::string>(16'000'000, 'w'), &withdrawn_};
    return true;
  };
  router_.Add(withdrawable);

  Route exhausts;
  exhausts.pattern = "/exhausts";
  exhausts.handler = [](const Request&, Response&) -> Task<Outcome<Done>> {
    throw std::bad_alloc();
    co_return Done{};
  };
  router_.Add(exhausts);

  Route exhausts_inline;
  exhausts_inline.pattern = "/exhausts-inline";
  exhausts_inline.inline_handler = [](const Request&, Response&) -> bool { throw std::bad_alloc(); };
  router_.Add(exhausts_inline);

  Route exhausts_upload;
  exhausts_upload.method = Method::kPost;
  exhausts_upload.pattern = "/exhausts-upload";
  exhausts_upload.upload = [](const Request&, BodyReader& body, Response&) -> Task<Outcome<Done>> {
    while (true) {
      const auto piece = co_await body.Next();
      if (!piece.ok() || piece->empty()) throw std::bad_alloc();
    }
    co_return Done{};
  };
  router_.Add(exhausts_upload);

  Route exhausts_stream;
  exhausts_stream.pattern = "/exhausts-stream";
  exhausts_stream.stream = [](const Request&, std::shared_ptr<EventStream>) -> Outcome<Done> {
    throw std::bad_alloc();
  };
  router_.Add(exhausts_stream);
}

void ToyServer::AddEffects(const std::function<Handler(Handler)>& around) {
  Route effect;
  effect.method = Method::kPost;
  effect.pattern = "/effects";
  effect.handler = [this](const Request& request, Response& response) -> Task<Outcome<Done>> {
    const int number = ++effects_;
    if (request.body.find("refuse") != std::string_view::npos) co_return Refusal::kSeatTaken;
    if (request.body.find("fail") != std::string_view::npos) throw std::runtime_error("a fault");
    response.status = 201;
    response.AddHeader("Location", "/effects/" + std::to_string(number));
    response.body = "{\"effect\":" + std::to_string(number) + "}";
    co_return Done{};
  };
  if (around) effect.handler = around(std::move(effect.handler));
  router_.Add(effect);
}

void ToyServer::Release() {
  std::vector<std::function<void()>> released;
  {
    const std::lock_guard lock(mutex_);
    released.swap(waiting_);
  }
  for (const auto& resume : released) resume();
}

int ToyServer::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(waiting_.size());
}

std::vector<std::shared_ptr<EventStream>> ToyServer::Streams() {
  const std::lock_guard lock(mutex_);
  return streams_;
}

}  // namespace maejin::http
