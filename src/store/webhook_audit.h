// Audit entries and events of changed endpoints, shared by all stores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/event.h"
#include "domain/webhook.h"

namespace maejin {

// "webhook 7"
std::string AuditSubject(const Webhook& webhook);
// {"url":"…","types":["…"]}
std::string DescribeWebhook(const Webhook& webhook);
// The event `webhook.test` of this endpoint.
EventDraft TestEvent(const Webhook& webhook, std::string data, Time at);

// The types of an endpoint as one comma-separated text, which both stores write; SplitTypes() reads it.
std::string JoinTypes(const std::vector<std::string>& types);
std::vector<std::string> SplitTypes(std::string_view types);

}  // namespace maejin
