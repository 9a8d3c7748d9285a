local n, last
function init(args) n = tonumber(args[1]); last = n + tonumber(args[2]) end
local left
function request() n = n + 1; return wrk.format("GET", "/v1/catalog/us/albums/" .. (n - 1)) end
function response() if n >= last + 48 then wrk.thread:stop() end end
