-- wrk script: requests POLL_PATH. Each request sends the next header line of the file POLL_HEADERS.
local requests, at = {}, 0
function init()
  local path = os.getenv("POLL_PATH")
  for line in io.lines(os.getenv("POLL_HEADERS")) do
    requests[#requests + 1] = "GET " .. path .. " HTTP/1.1\r\nHost: bench\r\n" .. line .. "\r\n\r\n"
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local wrong = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
  local median = latency:percentile(50)
  io.write(string.format("POLLS %d %d %d %d\n", summary.requests, summary.duration, median, wrong))
end
