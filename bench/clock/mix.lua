-- A mix of what Lua programs do: calls, tables, strings, floating point, closures and coroutines.
local rounds = tonumber(arg[1])

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function tree(depth)
  if depth == 0 then return {} end
  return {tree(depth - 1), tree(depth - 1)}
end
local function nodes(t) if t[1] then return 1 + nodes(t[1]) + nodes(t[2]) end return 1 end

local function orbit(steps)
  local x, y, vx, vy = 1.0, 0.0, 0.0, 1.0
  for _ = 1, steps do
    local r = math.sqrt(x * x + y * y)
    local a = -0.001 / (r * r * r)
    vx, vy = vx + x * a, vy + y * a
    x, y = x + vx * 0.001, y + vy * 0.001
  end
  return ("%.9f %.9f"):format(x, y)
end

local function words(n)
  local counts, seed = {}, 42
  for _ = 1, n do
    seed = (seed * 1103515245 + 12345) % 2147483648
    local word = ("w%x"):format(seed % 4096):gsub("a", "bc")
    counts[word] = (counts[word] or 0) + 1
  end
  local keys = {}
  for key in pairs(counts) do keys[#keys + 1] = key end
  table.sort(keys)
  return #keys .. keys[1] .. counts[keys[1]]
end

local function generate(n)
  local sum = 0
  for value in coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) do sum = sum + value end
  return sum
end

for _ = 1, rounds do
  print(fib(25), sieve(150000), nodes(tree(14)), orbit(300000), words(60000), generate(100000))
end
