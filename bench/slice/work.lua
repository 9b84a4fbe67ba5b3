-- What Lua programs do, in small: calls, tables, strings, sorting, closures. The size is a number of rounds.
local rounds = tonumber(arg[1])

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function primes(n)
  local composite, found = {}, {}
  for i = 2, n do
    if not composite[i] then
      found[#found + 1] = i
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return found
end

local function words(n, seed)
  local counts = {}
  for _ = 1, n do
    seed = (seed * 1103515245 + 12345) % 2147483648
    local word = ("w%x"):format(seed % 64):gsub("a", "bc")
    counts[word] = (counts[word] or 0) + 1
  end
  local keys = {}
  for key in pairs(counts) do keys[#keys + 1] = key end
  table.sort(keys, function(one, other) return counts[one] > counts[other] or (counts[one] == counts[other] and one < other) end)
  return keys[1] .. "=" .. counts[keys[1]]
end

for round = 1, rounds do
  print(round, fib(8 + round % 4), #primes(60 + round % 30), words(30, round))
end
