-- A path that gateways and shops may read in different ways is always behind the gate.
local function is_odd(path)
  local low = path:lower()
  return low:find("//", 1, true) or low:find("/%.%.?/") or low:find("/%.%.?$") or low:find("[\\;#]") or
    low:find("%2e", 1, true) or low:find("%2f", 1, true) or low:find("%5c", 1, true) or
    low:find("%3b", 1, true) or low:find("%23", 1, true)
end

local function below(path, prefix)
  local plain = prefix:gsub("/+$", "")
  return path == plain or path:sub(1, #plain + 1) == plain .. "/"
end

-- Whether a rule lets the request pass.
local function is_free(rules, method, path, agent)
  for _, exempt in ipairs(rules.exempt_methods) do
    if method == exempt then return true end
  end
  for _, part in ipairs(rules.crawlers) do
    if agent:lower():find(part:lower(), 1, true) then return true end
  end
  if is_odd(path) then return false end
  local read = path:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  -- The routes of some shops ignore the case of letters.
  if not below(read:lower(), rules.protect:lower()) then return true end
  for _, prefix in ipairs(rules.exempt) do
    if below(read, prefix) then return true end
  end
  return false
end
