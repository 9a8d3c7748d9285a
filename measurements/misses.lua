local n
function init(args) n = tonumber(args[1]) end
function request() n = n + 1; return wrk.format("GET", "/v1/catalog/us/albums/" .. n) end
