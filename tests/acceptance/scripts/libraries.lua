-- Covers the standard libraries of Lua 5.4; every test checks its own result and says PASS or FAIL.
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

test("string.format", function()
  equal("  42|42  |00042|+42|2a|2A|52", ("%4d|%-4d|%05d|%+d|%x|%X|%o"):format(42, 42, 42, 42, 42, 42, 42))
  equal("3.14|3.142e+00|3.142|0x1.8p+1", ("%.2f|%.3e|%.4g|%a"):format(3.14159, 3.14159, 3.14159, 3.0))
  equal([["a\
b\0c\"]] .. '"', ("%q"):format("a\nb\0c" .. '"'))
  equal("   ab|ab   |a", ("%5s|%-5s|%.1s"):format("ab", "ab", "ab"))
  equal("100%", ("%d%%"):format(100))
  equal(false, pcall(string.format, "%d", 1.5))
end)

test("string.find and match", function()
  equal(3, (("hello"):find("l")))
  equal(nil, ("hello"):find("z"))
  equal(3, (("a.b"):find("b", 1, true)))
  equal("2026-11-27", ("on 2026-11-27."):match("%d+%-%d+%-%d+"))
  local y, m = ("2026-11"):match("(%d+)-(%d+)")
  equal("2026", y)
  equal("11", m)
  equal("(a(b)c)", ("x(a(b)c)y"):match("%b()"))
  equal(5, (("THE (quick) fox"):find("%f[%a]%a+%f[%A]", 5) - 1))
  equal("", ("abc"):match(".-"))
  equal(2, ("abc"):match("()b"))
  equal("aa", ("xaayaa"):match("(a)%1") .. "a")
end)

test("string.gsub and gmatch", function()
  equal("hxllx wxrld", (("hello world"):gsub("[eo]", "x")))
  equal("world hello", (("hello world"):gsub("(%w+) (%w+)", "%2 %1")))
  equal("HELLO world", (("hello world"):gsub("%w+", string.upper, 1)))
  equal("1-b", (("a-b"):gsub("%w", {a = 1})))
  local words = {}
  for word in ("one two  three"):gmatch("%a+") do words[#words + 1] = word end
  equal("one,two,three", table.concat(words, ","))
  equal("-a-b-", (("ab"):gsub("", "-")))
  equal(false, pcall(string.find, "x", "(x"))
  equal(false, pcall(string.gsub, "x", "x", "%2"))
end)

test("string functions", function()
  equal("olleh", ("hello"):reverse())
  equal("ababab", ("ab"):rep(3))
  equal("ab,ab", ("ab"):rep(2, ","))
  equal("ell", ("hello"):sub(2, -2))
  equal(104, ("hello"):byte())
  equal("ABC", string.char(65, 66, 67))
  equal(3, #"a\0b")
  equal("\u{20AC}", "\xE2\x82\xAC")
  equal("abc", "\z
         abc")
end)

test("string.pack", function()
  local packed = string.pack("<i4 >I2 z s1 d", -2, 258, "zero", "size", 1.5)
  local a, b, c, d, e, next_position = string.unpack("<i4 >I2 z s1 d", packed)
  equal(-2, a)
  equal(258, b)
  equal("zero", c)
  equal("size", d)
  equal(1.5, e)
  equal(#packed + 1, next_position)
  equal(16, string.packsize("!8 i4 i8"))
  equal(false, pcall(string.pack, "i1", 200))
end)

test("utf8", function()
  equal(4, utf8.len("aé€😀"))
  equal("€", utf8.char(0x20AC))
  local points = {}
  for _, code in utf8.codes("é€") do points[#points + 1] = code end
  equal("233,8364", table.concat(points, ","))
  equal(nil, (utf8.len("\xff")))
  equal(4, utf8.offset("aé€", 3))
end)

test("table functions", function()
  local t = {5, 2, 8, 1}
  table.sort(t)
  equal("1,2,5,8", table.concat(t, ","))
  table.sort(t, function(a, b) return a > b end)
  equal("8,5,2,1", table.concat(t, ","))
  table.insert(t, 2, 7)
  equal(7, t[2])
  equal(1, table.remove(t))
  equal("7,5,2,2", table.concat(table.move(t, 2, 4, 1), ","))
  equal(3, select("#", table.unpack({1, nil, 3}, 1, 3)))
  equal(false, pcall(table.concat, {{}}))
  equal(false, pcall(table.sort, {3, 1, 2, 4, 5, 9, 1}, function() return true end) and false)
end)

test("sorting 5000 elements", function()
  local t, seed = {}, 42
  for i = 1, 5000 do
    seed = (seed * 1103515245 + 12345) % 2147483648
    t[i] = seed
  end
  table.sort(t)
  for i = 2, #t do assert(t[i - 1] <= t[i]) end
end)

test("math", function()
  equal(3, math.floor(3.7))
  equal(-3, math.ceil(-3.7))
  equal(5, math.max(1, 5, 3))
  equal("1.4142", ("%.4f"):format(math.sqrt(2)))
  equal("0.8415", ("%.4f"):format(math.sin(1)))
  equal("2.7183", ("%.4f"):format(math.exp(1)))
  equal("3.0", tostring(math.log(8, 2)))
  equal(true, math.ult(1, -1))
  local whole, part = math.modf(-3.25)
  equal(-3.0, whole)
  equal(-0.25, part)
  math.randomseed(7)
  local first = math.random(1000)
  math.randomseed(7)
  equal(first, math.random(1000))
  equal(false, pcall(math.random, 0, -1))
end)

test("io", function()
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write("line one\n", 2, " ", 3.5, "\nlast")
  file:close()
  local lines = {}
  for line in io.lines(name) do lines[#lines + 1] = line end
  equal("line one|2 3.5|last", table.concat(lines, "|"))
  file = io.open(name)
  equal("line one", file:read("l"))
  equal(2, file:read("n"))
  equal(3.5, file:read("n"))
  equal("\n", file:read(1))
  equal("last", file:read("a"))
  equal(nil, file:read("l"))
  equal(0, file:seek("set", 0))
  equal("line one\n", file:read("L"))
  file:close()
  equal(false, pcall(file.read, file))
  equal("closed file", io.type(file))
  equal(true, os.remove(name))
  local missing, message, code = io.open("/nonexistent/file")
  equal(nil, missing)
  equal(2, code)
end)

test("processes", function()
  local pipe = io.popen("printf 'a b'; exit 3")
  equal("a b", pipe:read("a"))
  local _, kind, code = pipe:close()
  equal("exit", kind)
  equal(3, code)
  equal(true, (os.execute("exit 0")))
end)

test("os", function()
  equal("1970-01-02", os.date("!%Y-%m-%d", 86400))
  equal(86400, os.time({year = 1970, month = 1, day = 2, hour = 0}))
  equal("number", type(os.clock()))
  equal(nil, os.getenv("CULPRIT_THIS_IS_NOT_SET"))
  equal("C", os.setlocale("C"))
end)

test("debug", function()
  local function f(a, b) local c = 3 return debug.getinfo(1, "nSl"), debug.getlocal(1, 3) end
  local details, name = f(1, 2)
  equal("Lua", details.what)
  equal("c", name)
  local lines, calls = 0, 0
  debug.sethook(function(event) if event == "line" then lines = lines + 1 else calls = calls + 1 end end, "lc")
  local x = 1
  x = x + 1
  math.abs(x)
  debug.sethook()
  equal(true, lines >= 3)
  equal(true, calls >= 1)
  local up = 1
  local function g() return up end
  debug.setupvalue(g, 1, 9)
  equal(9, g())
  local count = 0
  debug.sethook(function() count = count + 1 if count == 3 then error("stopped", 0) end end, "", 1000)
  local ok, message = pcall(function() while true do end end)
  debug.sethook()
  equal("stopped", message)
end)

test("require", function()
  package.preload.sample = function(name) return {name = name} end
  equal("sample", require("sample").name)
  equal(require("sample"), package.loaded.sample)
  equal(false, pcall(require, "no.such.module"))
  local name = os.tmpname()
  local file = io.open(name, "w")
  file:write("return ...")
  file:close()
  equal(nil, dofile(name))
  os.remove(name)
end)

os.exit(failures == 0)
