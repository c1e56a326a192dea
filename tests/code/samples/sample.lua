-- doc
local function f(a) return a end
function M.g(x) end
function M:h(y) end
local k = function() end
M.z = function() end
t = { a = function() end }
