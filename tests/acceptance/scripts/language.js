// Covers ECMAScript 5 as mujs implements it; every test checks its own result and says PASS or FAIL.
var failures = 0;

function equal(expected, actual) {
  if (expected !== actual && !(expected !== expected && actual !== actual))
    throw new Error("expected " + expected + ", got " + actual);
}

function test(name, body) {
  try {
    body();
    print("PASS: " + name);
  } catch (problem) {
    failures = failures + 1;
    print("FAIL: " + name + ": " + problem);
  }
}

function throws(kind, body) {
  try {
    body();
  } catch (e) {
    equal(true, e instanceof kind);
    return;
  }
  throw new Error("nothing was thrown");
}

test("numbers", function () {
  equal(0.30000000000000004, 0.1 + 0.2);
  equal(-1, -7 % 3);
  equal(NaN, 0 / 0);
  equal(-Infinity, -1 / 0);
  equal(-2147483648, 1 << 31);
  equal(4294967295, -1 >>> 0);
  equal(6, 5 ^ 3);
  equal("1e+21", String(1e21));
  equal("255", (0xff).toString());
  equal("11111111", (255).toString(2));
  equal("zz", (1295).toString(36));
  equal("3.14", (3.14159).toFixed(2));
  equal("3.1e+0", (3.14159).toExponential(1));
  equal("3.14", (3.14159).toPrecision(3));
  equal(42, parseInt("42abc"));
  equal(255, parseInt("ff", 16));
  equal(1.5, parseFloat("1.5e0x"));
  equal("1.5e-20", String(1.5e-20));
});

test("strings", function () {
  equal("ell", "hello".substring(1, 4));
  equal("llo", "hello".slice(-3));
  equal(2, "hello".indexOf("l"));
  equal(3, "hello".lastIndexOf("l"));
  equal("a|b|c", "a,b,c".split(",").join("|"));
  equal("HELLO", "hello".toUpperCase());
  equal("x", "  x ".trim());
  equal(8364, "€".charCodeAt(0));
  equal("é", String.fromCharCode(233));
  equal(true, "a" < "b");
  equal("12", "1" + 2);
  equal(3, "5" - 2);
});

test("equality and types", function () {
  equal(true, null == undefined);
  equal(false, null === undefined);
  equal(true, "1" == 1);
  equal(false, "1" === 1);
  equal("object", typeof null);
  equal("function", typeof equal);
  equal("undefined", typeof nothing_of_this_name);
  equal(true, [] + [] === "");
  equal("[object Array]", Object.prototype.toString.call([]));
});

test("closures and hoisting", function () {
  var list = [];
  for (var i = 0; i < 3; i++) (function (n) { list.push(function () { return n++; }); })(i);
  equal(2, list[2]());
  equal(3, list[2]());
  equal(0, list[0]());
  equal("late", hoisted());
  function hoisted() { return "late"; }
  equal(undefined, assigned_later);
  var assigned_later = 1;
});

test("prototypes", function () {
  function Animal(name) { this.name = name; }
  Animal.prototype.speak = function () { return this.name + "!"; };
  function Dog(name) { Animal.call(this, name); }
  Dog.prototype = Object.create(Animal.prototype);
  Dog.prototype.constructor = Dog;
  var dog = new Dog("Rex");
  equal("Rex!", dog.speak());
  equal(true, dog instanceof Animal);
  equal(true, dog.hasOwnProperty("name"));
  equal(false, dog.hasOwnProperty("speak"));
  equal(true, "speak" in dog);
  delete dog.name;
  equal(undefined, dog.name);
});

test("accessors and property attributes", function () {
  var o = { get x() { return this._x * 2; }, set x(v) { this._x = v; } };
  o.x = 4;
  equal(8, o.x);
  Object.defineProperty(o, "fixed", { value: 7, writable: false, enumerable: false });
  o.fixed = 8;
  equal(7, o.fixed);
  equal(-1, Object.keys(o).indexOf("fixed"));
  var frozen = Object.freeze({ a: 1 });
  frozen.a = 2;
  equal(1, frozen.a);
  equal(true, Object.isFrozen(frozen));
  equal("a,b", Object.getOwnPropertyNames({ a: 1, b: 2 }).join());
});

test("exceptions", function () {
  throws(TypeError, function () { undefined.x; });
  throws(ReferenceError, function () { nothing_of_this_name; });
  throws(SyntaxError, function () { eval("var ="); });
  throws(RangeError, function () { new Array(-1); });
  throws(URIError, function () { decodeURIComponent("%"); });
  var order = "";
  function f() {
    try { order += "t"; throw new Error("e"); }
    catch (e) { order += "c"; return e.message; }
    finally { order += "f"; }
  }
  equal("e", f());
  equal("tcf", order);
  function g() { for (;;) { try { return 1; } finally { break; } } return 2; }
  equal(2, g());
  function h() { try { try { throw 1; } finally { order += "!"; } } catch (e) { return e; } }
  equal(1, h());
});

test("deep recursion is an error", function () {
  function forever(n) { return 1 + forever(n + 1); }
  var caught = false;
  try { forever(0); } catch (e) { caught = true; }
  equal(true, caught);
});

test("control flow", function () {
  var out = [];
  outer: for (var i = 0; i < 4; i++) {
    for (var j = 0; j < 4; j++) {
      if (j == 2) continue outer;
      if (i == 3) break outer;
      out.push(i * 10 + j);
    }
  }
  equal("0,1,10,11,20,21", out.join());
  function pick(x) {
    switch (x) { case 1: return "one"; case "1": return "text"; default: return "other"; case 2: return "two"; }
  }
  equal("one", pick(1));
  equal("text", pick("1"));
  equal("two", pick(2));
  equal("other", pick(3));
  var n = 0;
  do n++; while (n < 5);
  equal(5, n);
  var keys = "";
  for (var k in { a: 1, b: 2 }) keys += k;
  equal("ab", keys);
  with ({ inside: 9 }) equal(9, inside);
  equal(3, (1, 2, 3));
  equal("b", false ? "a" : "b");
});

test("arrays", function () {
  var a = [3, 1, 2];
  equal("1,2,3", a.slice().sort().join());
  equal("10,9,1", [9, 10, 1].sort(function (x, y) { return y - x; }).join());
  equal(6, a.reduce(function (s, x) { return s + x; }, 0));
  equal("6,2,4", a.map(function (x) { return x * 2; }).join());
  equal("3,2", a.filter(function (x) { return x > 1; }).join());
  equal(true, a.some(function (x) { return x == 2; }));
  equal(false, a.every(function (x) { return x > 1; }));
  equal("1,2", a.splice(1, 2).join());
  equal(1, a.length);
  a[5] = 1;
  equal(6, a.length);
  equal(false, 3 in a);
  a.length = 0;
  equal(undefined, a[5]);
  equal("c,b,a", ["a", "b", "c"].reverse().join());
  equal("0,1,2", [1, 2].unshift && (function () { var b = [1, 2]; b.unshift(0); return b.join(); })());
});

test("sorting 2000 elements", function () {
  var a = [], seed = 42;
  for (var i = 0; i < 2000; i++) { seed = (seed * 16807) % 2147483647; a.push(seed); }
  a.sort(function (x, y) { return x - y; });
  for (i = 1; i < a.length; i++) if (a[i - 1] > a[i]) throw new Error("out of order at " + i);
});

test("regular expressions", function () {
  var m = /(\d+)-(\d+)/.exec("tel 12-34");
  equal("12", m[1]);
  equal("34", m[2]);
  equal(4, m.index);
  equal("b-a", "a-b".replace(/(\w)-(\w)/, "$2-$1"));
  equal("[A][B]", "ab".replace(/./g, function (c) { return "[" + c.toUpperCase() + "]"; }));
  equal(true, /^a.*?c$/i.test("ABC"));
  equal(false, /^(?!ab)/.test("abc"));
  equal("1,2,3", "1a2b3".split(/[a-z]/).join());
  equal("aa,bb", "xaaybbz".match(/(.)\1/g).join());
  var g = /o/g, count = 0;
  while (g.exec("foo boo")) count++;
  equal(4, count);
  equal(1, "abc".search(/b/));
  throws(SyntaxError, function () { new RegExp("("); });
});

test("JSON", function () {
  equal('{"a":[1,null,"x\\n"],"b":{"c":true}}', JSON.stringify({ a: [1, undefined, "x\n"], b: { c: true }, f: equal }));
  equal("[\n  1\n]", JSON.stringify([1], null, 2));
  equal(3, JSON.parse('{"x":[1,2,{"y":3}]}').x[2].y);
  equal('{"k":2}', JSON.stringify({ k: 1 }, function (key, value) { return typeof value == "number" ? value + 1 : value; }));
  throws(SyntaxError, function () { JSON.parse("{bad}"); });
});

test("functions", function () {
  function f() { return arguments.length + ":" + this.tag; }
  equal("2:t", f.call({ tag: "t" }, 1, 2));
  equal("3:u", f.apply({ tag: "u" }, [1, 2, 3]));
  equal("1:v", f.bind({ tag: "v" })(1));
  equal(7, new Function("a", "b", "return a + b")(3, 4));
  equal(2, (function (a, b) {}).length);
  equal(120, (function fact(n) { return n < 2 ? 1 : n * fact(n - 1); })(5));
  equal(9, eval("var local_of_eval = 9; local_of_eval"));
});

test("Math and Date", function () {
  equal(4, Math.max(1, 4, 2));
  equal(-2, Math.round(-2.5));
  equal(8, Math.pow(2, 3));
  equal("0.8414709848", Math.sin(1).toFixed(10));
  equal(Infinity, Math.min());
  equal("1970-01-02T00:00:00.000Z", new Date(86400000).toISOString());
  equal(951782400000, Date.UTC(2000, 1, 29));
  equal(1, new Date(Date.UTC(2001, 1, 29)).getUTCDate());
});

test("URI coding", function () {
  equal("a%20b%26%E2%82%AC", encodeURIComponent("a b&€"));
  equal("a b&€", decodeURIComponent("a%20b%26%E2%82%AC"));
});

test("garbage collection", function () {
  var keep = [];
  for (var i = 0; i < 20000; i++) {
    var o = { index: i, text: "number " + i, next: { back: null } };
    o.next.back = o;
    if (i % 1000 == 0) keep.push(o);
  }
  gc();
  for (i = 0; i < keep.length; i++) equal("number " + i * 1000, keep[i].next.back.text);
});

test("sieve and fibonacci", function () {
  var sieve = [], primes = 0;
  for (var i = 2; i < 5000; i++) {
    if (sieve[i]) continue;
    primes++;
    for (var j = i * i; j < 5000; j += i) sieve[j] = true;
  }
  equal(669, primes);
  function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  equal(2584, fib(18));
});

if (failures) quit(1);
