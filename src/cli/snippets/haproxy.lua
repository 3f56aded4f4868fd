-- maejin in HAProxy: asks /gate for every request, and passes its refusal on. haproxy.cfg is its
-- configuration (maejin snippet haproxy).
local set = {
  maejin = "{maejin}",
  room = "{room}",
  protect = "{protect}", -- only below this path
  exempt = { {exempt_list} }, -- but not below these
  exempt_methods = { {method_list} },
  crawlers = { {crawler_list} }, -- parts of the User-Agent; a visitor can forge it
  on_gate_error = "{on_error}", -- "admit" or "hold", while maejin does not answer
  timeout_ms = 2000,
}

{rules}
local forwarded = {
  "cookie", "accept", "accept-language", "x-requested-with", "sec-fetch-mode", "x-maejin-pass",
  "x-queue-token", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",
}

local function headers_of(all, uri)
  local sent = { ["x-forwarded-uri"] = { uri } }
  for _, name in ipairs(forwarded) do
    if all[name] then
      local values = {}
      for _, value in pairs(all[name]) do values[#values + 1] = value end
      sent[name] = values
    end
  end
  return sent
end

local function first(all, name)
  for _, value in pairs(all[name] or {}) do return value end
  return ""
end

local function reply(txn, status, headers, body)
  local answer = txn:reply()
  answer:set_status(status)
  for name, values in pairs(headers) do
    for _, value in pairs(values) do answer:add_header(name, value) end
  end
  answer:set_body(body)
  txn:done(answer)
end

core.register_action("maejin_gate", { "http-req" }, function(txn)
  local all = txn.http:req_get_headers()
  local uri = txn.f:pathq()
  if is_free(set, txn.f:method(), txn.f:path(), first(all, "user-agent")) then return end
  local sent = headers_of(all, uri)
  txn:set_priv(sent) -- for maejin_end
  local answer = core.httpclient():get({
    url = set.maejin .. "/gate?room=" .. set.room .. "&as=forward", headers = sent, timeout = set.timeout_ms,
  })
  local status = answer and answer.status or 0
  if status == 200 then
    local cookie = first(answer.headers, "set-cookie")
    if cookie ~= "" then txn:set_var("txn.maejin_cookie", cookie) end
    return
  end
  if status == 0 or status >= 500 then
    if set.on_gate_error == "admit" then return end
    return reply(txn, 503, { ["retry-after"] = { "5" }, ["content-type"] = { "text/plain" } },
      "Please try again in a moment.\n")
  end
  local passed = {}
  for _, name in ipairs({ "location", "set-cookie", "content-type", "cache-control", "referrer-policy" }) do
    passed[name] = answer.headers[name]
  end
  reply(txn, status, passed, txn.f:method() == "HEAD" and "" or answer.body or "")
end)

-- The shop ends a session with the answer header Maejin-Session: end.
core.register_action("maejin_end", { "http-res" }, function(txn)
  local sent = txn:get_priv()
  if not sent then return end
  core.httpclient():delete({
    url = set.maejin .. "/api/v1/rooms/" .. set.room .. "/entries/me", headers = sent,
    timeout = set.timeout_ms,
  })
end)
