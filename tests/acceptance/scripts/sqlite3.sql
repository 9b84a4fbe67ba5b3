-- Every line `test|NAME|expected|actual` is a test.
.mode list
SELECT 'test', 'integer arithmetic', '7|-3|1', (3 + 4) || '|' || (-7 / 2) || '|' || (7 % 2) WHERE 0;
SELECT 'test', 'addition', 7, 3 + 4;
SELECT 'test', 'division', -3, -7 / 2;
SELECT 'test', 'overflow becomes real', 'real', typeof(9223372036854775807 + 1);
SELECT 'test', 'bits', 14, (1 << 3) | (6 & 7);
SELECT 'test', 'real', '3.3333', printf('%.4f', 10.0 / 3);
SELECT 'test', 'null logic', 1, (NULL IS NULL) AND ((NULL = 1) IS NULL);
SELECT 'test', 'strings', 'ELLO', upper(substr('hello', 2));
SELECT 'test', 'like', 1, 'Hello' LIKE 'h_l%';
SELECT 'test', 'glob', 0, 'Hello' GLOB 'h*';
SELECT 'test', 'replace', 'a-b-c', replace('a b c', ' ', '-');
SELECT 'test', 'hex', '00FF', hex(x'00ff');
SELECT 'test', 'unicode', 8364, unicode('€');
SELECT 'test', 'case', 'two', CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END;
SELECT 'test', 'coalesce', 5, coalesce(NULL, NULL, 5);
SELECT 'test', 'cast', 12, CAST('12abc' AS INTEGER);
SELECT 'test', 'date', '2024-02-29', date('2024-03-01', '-1 day');
SELECT 'test', 'julian day', '2451545.0', julianday('2000-01-01 12:00:00');
SELECT 'test', 'math', '0.8415', printf('%.4f', sin(1));

CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, age INT CHECK(age >= 0), city TEXT DEFAULT 'Oslo');
INSERT INTO people(name, age, city) VALUES ('Ann', 30, 'Rome'), ('Bob', 25, 'Oslo'), ('Cyd', 35, 'Rome'), ('Dan', 25, NULL);
INSERT INTO people(name, age) VALUES ('Eve', 41);
SELECT 'test', 'count', 5, count(*) FROM people;
SELECT 'test', 'default', 'Oslo', city FROM people WHERE name = 'Eve';
SELECT 'test', 'aggregate', '25/41/31.2', min(age) || '/' || max(age) || '/' || avg(age) FROM people;
SELECT 'test', 'group by', 'Oslo:2,Rome:2', group_concat(line) FROM
  (SELECT city || ':' || count(*) AS line FROM people WHERE city IS NOT NULL GROUP BY city HAVING count(*) > 1 ORDER BY city);
SELECT 'test', 'order by two keys', 'Dan,Bob,Ann,Cyd,Eve', group_concat(name) FROM (SELECT name FROM people ORDER BY age, name DESC);
SELECT 'test', 'limit offset', 'Ann', name FROM people ORDER BY age LIMIT 1 OFFSET 2;
SELECT 'test', 'distinct', 4, count(*) FROM (SELECT DISTINCT age FROM people);
INSERT OR IGNORE INTO people(name, age) VALUES ('Ann', 99);
SELECT 'test', 'unique is kept', 30, age FROM people WHERE name = 'Ann';
INSERT INTO people(name, age) VALUES ('Ann', 31) ON CONFLICT(name) DO UPDATE SET age = excluded.age;
SELECT 'test', 'upsert', 31, age FROM people WHERE name = 'Ann';
UPDATE people SET age = age + 1 WHERE city = 'Rome';
SELECT 'test', 'update', 68, sum(age) FROM people WHERE city = 'Rome';
DELETE FROM people WHERE city IS NULL;
SELECT 'test', 'delete', 4, count(*) FROM people;

CREATE TABLE orders(person INT REFERENCES people(id) ON DELETE CASCADE, item TEXT, price REAL);
CREATE INDEX orders_by_person ON orders(person, price);
PRAGMA foreign_keys = ON;
INSERT INTO orders SELECT id, 'book', id * 1.5 FROM people UNION ALL SELECT id, 'pen', 0.25 FROM people WHERE id < 3;
SELECT 'test', 'join', 'Ann:2,Bob:2', group_concat(line) FROM
  (SELECT name || ':' || count(*) AS line FROM people JOIN orders ON person = id GROUP BY name HAVING count(*) = 2 ORDER BY name);
SELECT 'test', 'left join', 1, count(*) FROM people LEFT JOIN orders ON person = id AND item = 'pen' WHERE item IS NULL AND name = 'Eve';
SELECT 'test', 'subquery', 'Eve', name FROM people WHERE id = (SELECT person FROM orders ORDER BY price DESC LIMIT 1);
SELECT 'test', 'exists', 2, count(*) FROM people p WHERE EXISTS (SELECT 1 FROM orders o WHERE o.person = p.id AND o.item = 'pen');
DELETE FROM people WHERE name = 'Eve';
SELECT 'test', 'cascade', 0, count(*) FROM orders WHERE person = 5;
SELECT 'test', 'compound select', '1,2,3,4', group_concat(x) FROM (SELECT 1 AS x UNION SELECT 2 UNION ALL SELECT 3 UNION SELECT 4 EXCEPT SELECT 9);
SELECT 'test', 'index is used', 1, (SELECT count(*) FROM pragma_index_list('orders') WHERE name = 'orders_by_person');

BEGIN;
INSERT INTO people(name, age) VALUES ('Fay', 50);
SAVEPOINT inner_part;
DELETE FROM people;
ROLLBACK TO inner_part;
COMMIT;
SELECT 'test', 'savepoint', 4, count(*) FROM people;
BEGIN; DELETE FROM people; ROLLBACK;
SELECT 'test', 'rollback', 4, count(*) FROM people;

WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1000)
SELECT 'test', 'recursive query', 500500, sum(value) FROM n;
WITH RECURSIVE
  axis_x(x) AS (VALUES(-2.0) UNION ALL SELECT x + 0.1 FROM axis_x WHERE x < 1.0),
  axis_y(y) AS (VALUES(-1.0) UNION ALL SELECT y + 0.1 FROM axis_y WHERE y < 1.0),
  m(iteration, cx, cy, x, y) AS (
    SELECT 0, x, y, 0.0, 0.0 FROM axis_x, axis_y UNION ALL
    SELECT iteration + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE x * x + y * y < 4.0 AND iteration < 28)
SELECT 'test', 'mandelbrot', 1, count(*) > 4000 FROM m;
SELECT 'test', 'window functions', '1:1,2:3,3:6', group_concat(line) FROM
  (SELECT x || ':' || sum(x) OVER (ORDER BY x) AS line FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 3));
SELECT 'test', 'rank', '1,1,3', group_concat(r) FROM (SELECT rank() OVER (ORDER BY x) AS r FROM (SELECT 5 AS x UNION ALL SELECT 5 UNION ALL SELECT 7));

CREATE TABLE log(entry TEXT);
CREATE TRIGGER people_insert AFTER INSERT ON people BEGIN INSERT INTO log VALUES ('+' || NEW.name); END;
CREATE VIEW adults AS SELECT name FROM people WHERE age >= 18;
CREATE TRIGGER adults_insert INSTEAD OF INSERT ON adults BEGIN INSERT INTO people(name, age) VALUES (NEW.name, 18); END;
INSERT INTO adults VALUES ('Gus');
SELECT 'test', 'triggers', '+Gus', entry FROM log;
SELECT 'test', 'view', 5, count(*) FROM adults;

CREATE TABLE generated(a INT, b INT GENERATED ALWAYS AS (a * a) STORED, c TEXT AS ('n' || a));
INSERT INTO generated(a) VALUES (7);
SELECT 'test', 'generated columns', '49n7', b || c FROM generated;
ALTER TABLE generated RENAME COLUMN a TO base;
ALTER TABLE generated ADD COLUMN extra INT DEFAULT 3;
SELECT 'test', 'alter table', 10, base + extra FROM generated;
CREATE TABLE keyed(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID;
INSERT INTO keyed VALUES ('z', zeroblob(5000)), ('a', x'0102');
SELECT 'test', 'without rowid', 'a:2,z:5000', group_concat(k || ':' || length(v)) FROM keyed;

SELECT 'test', 'json', 3, json_extract('{"a":[1,2,{"b":3}]}', '$.a[2].b');
SELECT 'test', 'json aggregate', '[1,2,3]', json_group_array(value) FROM json_each('[1,2,3]');
CREATE VIRTUAL TABLE documents USING fts5(body);
INSERT INTO documents VALUES ('the quick brown fox'), ('lazy dogs sleep'), ('quick thinking');
SELECT 'test', 'full text search', 2, count(*) FROM documents WHERE documents MATCH 'quick';
CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1);
INSERT INTO boxes VALUES (1, 0, 1, 0, 1), (2, 5, 6, 5, 6), (3, 0.5, 5.5, 0.5, 5.5);
SELECT 'test', 'r-tree', '1,3', group_concat(id) FROM (SELECT id FROM boxes WHERE x1 >= 0.8 AND x0 <= 2 AND y1 >= 0.8 AND y0 <= 2 ORDER BY id);

CREATE TABLE big(id INTEGER PRIMARY KEY, value INT, text TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
INSERT INTO big SELECT i, (i * 7919) % 3001, printf('row %d %s', i, hex(i * i)) FROM n;
CREATE INDEX big_value ON big(value);
SELECT 'test', 'big table', 4501500, sum(value) FROM big;
SELECT 'test', 'index lookup', 1, count(*) FROM big WHERE value = 1234;
SELECT 'test', 'self join', 2999, count(*) FROM big a JOIN big b ON b.value = a.value + 1;
SELECT 'test', 'sort without index', 1, (SELECT text FROM big ORDER BY text DESC LIMIT 1) = (SELECT max(text) FROM big);
ANALYZE;
REINDEX;
VACUUM;
SELECT 'test', 'integrity', 'ok', integrity_check FROM pragma_integrity_check;
