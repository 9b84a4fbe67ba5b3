-- Covers the language of Lua 5.4; every test checks its own result and says PASS or FAIL.
local failures = 0

local function test(name, body)
  local ok, message = pcall(body)
  print((ok and "PASS: " or "FAIL: ") .. name .. (ok and "" or ": " .. tostring(message)))
  if not ok then failures = failures + 1 end
end

local function equal(expected, actual)
  if expected ~= actual then
    error(("expected %s, got %s"):format(tostring(expected), tostring(actual)), 2)
  end
end

test("integer arithmetic", function()
  equal(3, 7 // 2)
  equal(-4, -7 // 2)
  equal(1, 7 % 2)
  equal(1, -7 % 2)
  equal(-1, 7 % -2)
  equal(math.mininteger, math.maxinteger + 1)
  equal(0x7fffffffffffffff, math.maxinteger)
  equal(12, 3 << 2)
  equal(0xf, ~0xfffffffffffffff0)
  equal(6, 5 ~ 3)
  equal(1, math.mininteger >> 63)
end)

test("float arithmetic", function()
  equal(3.5, 7 / 2)
  equal(8.0, 2 ^ 3)
  equal("float", math.type(2 ^ 2))
  equal(true, 0 / 0 ~= 0 / 0)
  equal("-nan", tostring(-(0 / 0)):gsub("^nan$", "-nan"))
  equal(math.huge, 1 / 0.0)
  equal(3, math.tointeger(3.0))
  equal("1e+100", tostring(1e100))
  equal(0.1 + 0.2 == 0.3, false)
  equal(2.0, 5.5 // 2)
  equal(1.5, 5.5 % 2)
end)

test("division by zero is an error for integers", function()
  local ok, message = pcall(function() return 1 // 0 end)
  equal(false, ok)
  equal(true, message:find("attempt to", 1, true) ~= nil)
  equal(false, pcall(function() return 1 % 0 end))
end)

test("comparison and coercion", function()
  equal(true, 1 == 1.0)
  equal(true, "a" < "b")
  equal(false, pcall(function() return 1 < "2" end))
  equal(15, "10" + 5)
  equal("105", 10 .. 5)
  equal(true, math.maxinteger < math.huge)
  equal(false, math.maxinteger + 0.0 == math.maxinteger)
end)

test("closures share upvalues", function()
  local function counter()
    local n = 0
    return function() n = n + 1 return n end, function() return n end
  end
  local step, read = counter()
  step() step()
  equal(2, read())
  local list = {}
  for i = 1, 3 do list[i] = function() i = i + 10 return i end end
  equal(11, list[1]())
  equal(12, list[2]())
  equal(21, list[1]())
end)

test("varargs", function()
  local function f(...)
    local a, b = ...
    return select("#", ...), a, b, ...
  end
  local n, a, b, c = f(1, nil, 3)
  equal(3, n)
  equal(1, a)
  equal(nil, b)
  equal(1, c)
  equal(3, (table.pack(f(1, nil, 3)))[6])
  equal(200, select("#", table.unpack({}, 1, 200)))
end)

test("multiple assignment and returns", function()
  local a, b, c = (function() return 1, 2, 3 end)()
  a, b = b, a
  equal(2, a)
  equal(1, b)
  local i, t = 1, {}
  i, t[i] = i + 1, 20
  equal(20, t[1])
  equal(1, select("#", ((function() return 1, 2 end)())))
end)

test("numeric for", function()
  local sum = 0
  for i = 10, 1, -3 do sum = sum + i end
  equal(22, sum)
  local count = 0
  for _ = math.maxinteger - 1, math.maxinteger do count = count + 1 end
  equal(2, count)
  for x = 1.0, 2.0, 0.25 do count = count + 1 end
  equal(7, count)
  equal(false, pcall(function() for i = 1, 10, 0 do end end))
end)

test("goto, break, repeat", function()
  local out = {}
  for i = 1, 5 do
    if i % 2 == 0 then goto continue end
    out[#out + 1] = i
    ::continue::
  end
  equal("1,3,5", table.concat(out, ","))
  local n = 0
  repeat local done = n >= 4 n = n + 1 until done
  equal(5, n)
  while true do n = n + 1 if n > 9 then break end end
  equal(10, n)
end)

test("metatables: arithmetic, index, call", function()
  local V = {}
  V.__index = V
  V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
  V.__eq = function(a, b) return a.x == b.x end
  V.__lt = function(a, b) return a.x < b.x end
  V.__le = function(a, b) return a.x <= b.x end
  V.__call = function(self, n) return self.x * n end
  V.__len = function(self) return self.x end
  V.__concat = function(a, b) return (type(a) == "table" and a.x or a) .. "|" .. (type(b) == "table" and b.x or b) end
  V.__unm = function(a) return setmetatable({x = -a.x}, V) end
  V.__tostring = function(a) return "V" .. a.x end
  V.__band = function(a, b) return "band" end
  local function new(x) return setmetatable({x = x}, V) end
  equal(5, (new(2) + new(3)).x)
  equal(true, new(1) == new(1))
  equal(true, new(1) < new(2))
  equal(true, new(2) <= new(2))
  equal(21, new(7)(3))
  equal(7, #new(7))
  equal("7|z", new(7) .. "z")
  equal(-7, (-new(7)).x)
  equal("V7", tostring(new(7)))
  equal("band", new(1) & 3)
end)

test("metatables: inheritance and newindex", function()
  local log = {}
  local base = {hello = function() return "hello" end}
  local object = setmetatable({}, {
    __index = base,
    __newindex = function(t, k, v) log[#log + 1] = k rawset(t, k, v) end,
  })
  equal("hello", object.hello())
  object.a = 1
  object.a = 2
  equal(1, #log)
  equal(2, rawget(object, "a"))
  local deep = setmetatable({}, {__index = setmetatable({}, {__index = function(_, k) return k .. "!" end})})
  equal("x!", deep.x)
  equal("locked", getmetatable(setmetatable({}, {__metatable = "locked"})))
end)

test("to-be-closed variables", function()
  local order = {}
  local function resource(name)
    return setmetatable({}, {__close = function(_, err) order[#order + 1] = name .. (err and "!" or "") end})
  end
  do
    local a <close> = resource("a")
    local b <close> = resource("b")
  end
  pcall(function()
    local c <close> = resource("c")
    error("x")
  end)
  equal("b a c!", table.concat(order, " "))
  local k <const> = 5
  equal(5, k)
  equal(nil, load("local k <const> = 1; k = 2"))
end)

test("errors", function()
  local ok, e = pcall(error, {code = 7})
  equal(7, e.code)
  ok, e = pcall(error, "plain", 0)
  equal("plain", e)
  local trace = select(2, xpcall(function() local t = nil; return t.x end, debug.traceback))
  equal(true, trace:find("attempt to index a nil value %(local 't'%)") ~= nil)
  equal(true, trace:find("stack traceback") ~= nil)
  equal("inner", select(2, pcall(function() local ok, m = pcall(error, "inner", 0) error(m, 0) end)))
  equal(false, pcall(string.rep, "x", -1, {}, 3) and false)
end)

test("deep recursion overflows the Lua stack with an error", function()
  local function f(n) return 1 + f(n + 1) end
  local ok, message = pcall(f, 1)
  equal(false, ok)
  equal(true, message:find("stack overflow") ~= nil)
  local nested = string.rep("(", 300) .. "1" .. string.rep(")", 300)
  equal(nil, (load("return " .. nested)))
end)

test("tail calls need no stack", function()
  local function loop(n) if n == 0 then return "done" end return loop(n - 1) end
  equal("done", loop(500000))
end)

test("coroutines", function()
  local generator = coroutine.wrap(function(a)
    for i = 1, 3 do a = coroutine.yield(a + i) end
    return "end"
  end)
  equal(11, generator(10))
  equal(22, generator(20))
  equal(33, generator(30))
  equal("end", generator(0))
  equal(false, pcall(generator))
  local co = coroutine.create(function() error("inside", 0) end)
  local ok, message = coroutine.resume(co)
  equal(false, ok)
  equal("inside", message)
  equal("dead", coroutine.status(co))
  -- Yielding across pcall, metamethods and iterators.
  local thread = coroutine.wrap(function()
    local t = setmetatable({}, {__add = function(_, x) return coroutine.yield(x) end})
    local ok, v = pcall(function() return t + 5 end)
    for x in function() return coroutine.yield("iterate") end do return v, x end
  end)
  equal(5, thread())
  equal("iterate", thread("sum"))
  local v, x = thread("value")
  equal("sum", v)
  equal("value", x)
  equal(false, coroutine.isyieldable())
end)

test("many coroutines", function()
  local threads = {}
  for i = 1, 500 do
    threads[i] = coroutine.wrap(function() local n = i while true do coroutine.yield(n) n = n + i end end)
  end
  local sum = 0
  for _ = 1, 4 do for i = 1, 500 do sum = sum + threads[i]() end end
  equal(10 * 125250, sum)
end)

test("garbage collection", function()
  local weak = setmetatable({}, {__mode = "v"})
  local finalised = 0
  for i = 1, 100 do
    weak[i] = setmetatable({}, {__gc = function() finalised = finalised + 1 end})
  end
  collectgarbage()
  collectgarbage()
  equal(100, finalised)
  equal(nil, next(weak))
  collectgarbage("generational")
  local t = {}
  for i = 1, 20000 do t[i % 100 + 1] = {i, tostring(i)} end
  collectgarbage("incremental")
  equal(true, collectgarbage("count") > 0)
  local ephemeron = setmetatable({}, {__mode = "k"})
  do local key = {} ephemeron[key] = {key} end
  collectgarbage()
  equal(nil, next(ephemeron))
end)

test("load and environments", function()
  local environment = {y = 5}
  local chunk = load("x = y * 2; return x", "chunk", "t", environment)
  equal(10, chunk())
  equal(10, environment.x)
  equal(nil, x)
  local dumped = string.dump(function(a) return a * 2 end)
  equal(8, load(dumped, "dumped", "b")(4))
  local ok, message = load("x = = 1", "=bad")
  equal("bad:1: unexpected symbol near '='", message)
  local parts = {"return ", "1 ", "+ 2"}
  local i = 0
  equal(3, load(function() i = i + 1 return parts[i] end)())
end)

test("big constant tables and long functions", function()
  local source = {"local t = {"}
  for i = 1, 3000 do source[#source + 1] = ("[%d] = 'v%d',"):format(i, i) end
  source[#source + 1] = "} return t"
  equal("v2999", load(table.concat(source))()[2999])
  local calls = {}
  for i = 1, 5000 do calls[i] = "s = s + " .. i end
  equal(12502500, load("local s = 0 " .. table.concat(calls, " ") .. " return s")())
end)

test("sieve, queens and fibonacci", function()
  local sieve, primes = {}, 0
  for i = 2, 20000 do
    if not sieve[i] then
      primes = primes + 1
      for j = i * i, 20000, i do sieve[j] = true end
    end
  end
  equal(2262, primes)
  local solutions = 0
  local function place(row, columns, up, down)
    if row > 7 then solutions = solutions + 1 return end
    for c = 1, 7 do
      if not columns[c] and not up[row + c] and not down[row - c] then
        columns[c], up[row + c], down[row - c] = true, true, true
        place(row + 1, columns, up, down)
        columns[c], up[row + c], down[row - c] = nil, nil, nil
      end
    end
  end
  place(1, {}, {}, {})
  equal(40, solutions)
  local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
  equal(17711, fib(22))
end)

os.exit(failures == 0)
