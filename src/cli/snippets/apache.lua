-- maejin in Apache: asks /gate for every request, and passes its refusal on. apache.conf is its configuration
-- (maejin snippet apache).
local http = require("socket.http")
local ltn12 = require("ltn12")

local set = {
  maejin = "{maejin}",
  room = "{room}",
  protect = "{protect}", -- only below this path
  exempt = { {exempt_list} }, -- but not below these
  exempt_methods = { {method_list} },
  networks = { {network_list} }, -- their visitors do not wait
  crawlers = { {crawler_list} }, -- parts of the User-Agent; a visitor can forge it
  on_gate_error = "{on_error}", -- "admit" or "hold", while maejin does not answer
  pages = { {page_list} }, -- paths of maejin's waiting page on this host
}

{rules}
local forwarded = {
  "Cookie", "Accept", "Accept-Language", "X-Requested-With", "Sec-Fetch-Mode", "X-Maejin-Pass",
  "X-Queue-Token",
}

local function ask(r, method, path)
  local sent = {
    ["X-Forwarded-For"] = r.useragent_ip, ["X-Forwarded-Proto"] = r.is_https and "https" or "http",
    ["X-Forwarded-Host"] = r.headers_in["Host"], ["X-Forwarded-Uri"] = r.unparsed_uri,
  }
  for _, name in ipairs(forwarded) do sent[name] = r.headers_in[name] end
  http.TIMEOUT = 2
  local body = {}
  local done, status, headers = http.request({
    url = set.maejin .. path, method = method, headers = sent, redirect = false,
    sink = ltn12.sink.table(body),
  })
  if not done then return 0, {}, "" end
  return status, headers, table.concat(body)
end

local function refuse(r, status, headers, body)
  for from, to in pairs({ location = "Location", ["set-cookie"] = "Set-Cookie",
    ["cache-control"] = "Cache-Control", ["referrer-policy"] = "Referrer-Policy",
    ["retry-after"] = "Retry-After" }) do
    if headers[from] then r.err_headers_out[to] = headers[from] end
  end
  r.status = status
  r.content_type = headers["content-type"] or "text/plain"
  if r.method ~= "HEAD" then r:write(body) else r:write("") end
  return apache2.DONE
end

local function is_allowed(r)
  for _, page in ipairs(set.pages) do
    if r.uri:sub(1, #page) == page then return true end
  end
  for _, network in ipairs(set.networks) do
    if r:expr("-R '" .. network .. "'") then return true end
  end
  return false
end

function gate(r)
  local path = r.unparsed_uri:match("^[^?]*")
  if is_allowed(r) or is_free(set, r.method, path, r.headers_in["User-Agent"] or "") then
    return apache2.DECLINED
  end
  r.notes["maejin"] = "asked"
  local status, headers, body = ask(r, "GET", "/gate?room=" .. set.room .. "&as=forward")
  if status == 200 then
    -- A room in standby gives the cookie at once.
    if headers["set-cookie"] then r.err_headers_out["Set-Cookie"] = headers["set-cookie"] end
    return apache2.DECLINED
  end
  if status ~= 0 and status < 500 then return refuse(r, status, headers, body) end
  if set.on_gate_error == "admit" then return apache2.DECLINED end
  return refuse(r, 503, { ["retry-after"] = "5" }, "Please try again in a moment.\n")
end

function finish(r)
  if r.notes["maejin"] == "asked" and r.headers_out["Maejin-Session"] == "end" then
    ask(r, "DELETE", "/api/v1/rooms/" .. set.room .. "/entries/me")
  end
  return apache2.OK
end
