local n = 0
function request() n = (n + 1) % 300; return wrk.format("GET", "/v1/catalog/us/albums/" .. (100000 + n)) end
