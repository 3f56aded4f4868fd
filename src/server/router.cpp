#include "server/router.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/url.h"

namespace maejin::http {
namespace {

constexpr std::size_t kMethods = 8;

std::size_t Index(Method method) { return static_cast<std::size_t>(method); }

std::string_view TakeSegment(std::string_view& rest) {
  const auto* const first = rest.begin() + 1;  // after the '/'
  const auto* const end = std::find(first, rest.end(), '/');
  rest = {end, rest.end()};
  return {first, end};
}

bool IsPlaceholder(std::string_view segment) { return segment.size() > 2 && segment.front() == '{'; }

}  // namespace

// One segment of a path. Nodes have few children: a linear search is faster than a hash table.
struct Router::Node {
  std::string segment;
  std::vector<std::unique_ptr<Node>> children;
  std::unique_ptr<Node> placeholder;
  std::array<const Route*, kMethods> routes{};
  std::size_t placeholders = 0;  // number of placeholders from the root to this node

  Node* Child(std::string_view name) const {
    for (const auto& child : children) {
      if (child->segment == name) return child.get();
    }
    return nullptr;
  }
  bool HasRoute() const {
    return std::any_of(routes.begin(), routes.end(), [](const Route* route) { return route != nullptr; });
  }
  std::string Allowed() const {
    std::string names;
    for (std::size_t i = 0; i < kMethods; ++i) {
      const bool head = i == Index(Method::kHead) && routes[Index(Method::kGet)];
      if (!routes[i] && !head) continue;
      names.append(names.empty() ? "" : ", ").append(Name(static_cast<Method>(i)));
    }
    return names;
  }

  // Prefers literal segments to placeholders. `params` gets the segments that matched the placeholders so
  // far.
  const Node* Find(std::string_view rest, std::array<std::string_view, Request::kMaxParams>& params,
                   std::size_t depth) const {
    if (rest.empty()) return HasRoute() ? this : nullptr;
    const auto name = TakeSegment(rest);
    if (const Node* child = Child(name)) {
      if (const Node* found = child->Find(rest, params, depth)) return found;
    }
    if (!placeholder || name.empty() || depth == Request::kMaxParams) return nullptr;
    params[depth] = name;
    return placeholder->Find(rest, params, depth + 1);
  }
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;

void Router::Add(Route route) {
  auto owned = std::make_unique<Route>(std::move(route));
  Node* node = root_.get();
  for (std::string_view rest = owned->pattern; !rest.empty();) {
    const auto segment = TakeSegment(rest);
    if (IsPlaceholder(segment)) {
      if (!node->placeholder) node->placeholder = std::make_unique<Node>();
      node->placeholder->placeholders = node->placeholders + 1;
      node = node->placeholder.get();
    } else {
      Node* child = node->Child(segment);
      if (!child) {
        node->children.push_back(std::make_unique<Node>());
        child = node->children.back().get();
        child->segment = segment;
        child->placeholders = node->placeholders;
      }
      node = child;
    }
  }
  auto& place = node->routes[Index(owned->method)];
  if (place) {
    std::fprintf(stderr, "two routes for %s\n", owned->pattern.c_str());
    std::abort();
  }
  owned->number = routes_.size();
  place = owned.get();
  routes_.push_back(std::move(owned));
}

void Router::AddFallback(Route route) {
  route.number = routes_.size();
  fallback_ = routes_.emplace_back(std::make_unique<Route>(std::move(route))).get();
}

bool Router::SetLeastRole(Method method, std::string_view pattern, OperatorRole least) {
  const Node* node = root_.get();
  while (node && !pattern.empty()) {
    const auto segment = TakeSegment(pattern);
    node = IsPlaceholder(segment) ? node->placeholder.get() : node->Child(segment);
  }
  const Route* route = node ? node->routes[Index(method)] : nullptr;
  if (!route || route->access != Access::kAdmin) return false;
  routes_[route->number]->least_role = least;
  return true;
}

Outcome<const Route*> Router::Match(Request& request) const {
  const Node* node = request.path.empty() || request.path.front() != '/'
                         ? nullptr
                         : root_->Find(request.path, request.params, 0);
  if (!node && fallback_) return fallback_;
  if (!node) return Refused{Refusal::kNotFound, std::string(request.path)};
  const Route* route = node->routes[Index(request.method)];
  if (!route && request.method == Method::kHead) route = node->routes[Index(Method::kGet)];
  if (!route) return Refused{Refusal::kMethodNotAllowed, node->Allowed()};
  request.decoded_params.clear();
  for (std::size_t i = 0; i < node->placeholders; ++i) {
    auto& param = request.params[i];
    if (param.find('%') == std::string_view::npos) continue;
    // Reserve space for all decoded parameters: views into the text must stay valid.
    if (request.decoded_params.empty()) request.decoded_params.reserve(request.path.size());
    const auto start = request.decoded_params.size();
    if (!PercentDecode(param, false, request.decoded_params)) {
      return Refused{Refusal::kInvalidField, "path: broken percent-encoding"};
    }
    param = std::string_view(request.decoded_params).substr(start);
  }
  return route;
}

}  // namespace maejin::http
