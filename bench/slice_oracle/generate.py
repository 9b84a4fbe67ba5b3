"""Small C programs for the slice oracle: values pass through locals, arrays, structures, pointers, copies, calls of
several kinds, text and threads, and a few of them are printed, each on a line of its own.

Every value that a statement computes goes through perturbN, which the oracle can alter (perturb.h); whatever is
altered, programs end: indices are masked, loops and recursion are bounded by counters that nobody alters.
"""
import random

HEAD = """#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "perturb.h"

struct part { unsigned a; unsigned char b; short c; unsigned d[4]; };
typedef unsigned (*function)(unsigned, unsigned*, struct part*, int);
static unsigned numbers[8];
static struct part parts[4];
static unsigned table[16] = {71, 5, 1009, 33, 90001, 17, 4, 256, 8191, 2, 77, 613, 40, 12345, 9, 600};
static char text[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;
"""


class Function:
    """One function of the program; `lane` is the thread that it runs in."""

    def __init__(self, chance, number, lane, callees):
        self.chance, self.number, self.lane, self.callees = chance, number, lane, callees
        self.calls_left = 2
        self.loops = 0

    def value(self, depth=0):
        pick = self.chance.choice
        if depth > 2 or self.chance.random() < 0.35:
            return pick([f"v{self.chance.randrange(4)}", f"v{self.chance.randrange(4)}", str(self.chance.randrange(200)), "x",
                         f"own[{self.index()}]", f"p[{self.index()}]", "q->a", "q->b", "(unsigned)q->c", f"q->d[{self.index()} & 3]"])
        if self.chance.random() < 0.12:  # which constant it is, an address decides
            return f"table[{self.value(depth + 1)} & 15]"
        left, right = self.value(depth + 1), self.value(depth + 1)
        operator = pick(["+"] * 4 + ["-"] * 3 + ["^"] * 4 + ["*"] * 2 + ["&", "|", "<", "==", ">>", "/"])
        if operator == ">>":
            return f"({left} >> ({right} & 7))"
        if operator == "/":
            return f"({left} / ({right} | 1))"
        return f"({left} {operator} {right})"

    def index(self):
        return self.chance.choice([str(self.chance.randrange(8)), f"(v{self.chance.randrange(4)} & 7)"])

    def passed(self, value):
        return f"perturb{self.lane}({value})"

    def target(self):
        return self.chance.choice([f"v{self.chance.randrange(4)}"] * 4 + [f"own[{self.index()}]", f"p[{self.index()}]", "q->a", "q->b", "q->c",
                                                                        f"q->d[{self.index()} & 3]"])

    def call(self):
        arguments = f"({self.passed(self.value())}, {self.chance.choice(['own', 'p'])}, {self.chance.choice(['q', '&mine'])}, depth + 1)"
        if self.chance.random() < 0.3:
            table = ", ".join(self.callees)
            return f"((function[]){{{table}}})[{self.value()} % {len(self.callees)}]{arguments}"
        return self.chance.choice(self.callees) + arguments

    def statement(self, depth):
        kind = self.chance.random()
        inner = depth < 2
        if inner and kind < 0.13:
            return [f"if ({self.value()}) {{", *self.body(depth + 1), "} else {", *self.body(depth + 1), "}"]
        if inner and kind < 0.22:
            self.loops += 1
            i = f"i{self.loops}"
            leave = [f"if ({self.value()} == {self.chance.randrange(9)}) break;"] if self.chance.random() < 0.4 else []
            return [f"for (int {i} = 0; {i} < {self.chance.randint(1, 4)}; ++{i}) {{", f"v{self.chance.randrange(4)} += {i};", *leave,
                    *self.body(depth + 1), "}"]
        if inner and kind < 0.28:
            cases = [f"case {each}: {self.target()} = {self.passed(self.value())}; {self.chance.choice(['break;', ''])}" for each in range(3)]
            return [f"switch ({self.value()} & 3) {{", *cases, f"default: {self.target()} = {self.passed(self.value())};", "}"]
        if kind < 0.40 and self.callees and self.calls_left:
            self.calls_left -= 1
            return [f"if (depth < 4) {self.target()} = {self.call()};"]
        if kind < 0.45:
            return [f"memcpy(own + {self.chance.randrange(4)}, p + {self.chance.randrange(4)}, {self.chance.randrange(1, 16)});"]
        if kind < 0.50:
            return ["mine = *q;"] if self.chance.random() < 0.5 else ["*q = mine;"]
        if kind < 0.53:
            return [f"memmove(own, own + {self.chance.randrange(1, 4)}, 12);", f"memset(p + {self.chance.randrange(8)}, {self.value()}, 3);"]
        if kind < 0.58:
            return [f'snprintf(words, sizeof words, "%u-%x", {self.value()}, {self.value()});',
                    f"{self.target()} = strlen(words) + words[{self.chance.randrange(6)}];"]
        if kind < 0.62:
            return [f"where = {self.chance.choice(['&v0', '&v1', 'own + (v2 & 7)', 'p + (v3 & 7)', '&q->a'])};", f"*where ^= {self.passed(self.value())};"]
        return [f"{self.target()} = {self.passed(self.value())};"]

    def body(self, depth):
        lines = []
        for _ in range(self.chance.randint(1, 3) if depth else self.chance.randint(4, 9)):
            lines += self.statement(depth)
        return lines

    def text(self):
        name = f"f{self.number}"
        return [f"static unsigned {name}(unsigned x, unsigned* p, struct part* q, int depth) {{",
                "unsigned v0 = x, v1 = p[1], v2 = q->a, v3 = 7, own[12] = {x, 1, 2}, *where = &v3;", "struct part mine = {v1, 2, 3, {4, 5}};",
                "char words[24] = \"\";", *self.body(0),
                "(void)where; (void)words; (void)mine;", f"return {self.passed(f'{self.value()} + v0 * 3 + v1 * 5 + v2 * 7 + (v3 ^ own[{self.index()}])')};", "}"]


def program(seed, threads):
    """Text of the program of that seed; with `threads`, two more of them compute at the same time."""
    chance = random.Random(seed)
    lines = [HEAD]
    tops = []
    number = 0
    for lane in range(3 if threads else 1):
        names = []
        for _ in range(chance.randint(2, 4)):
            lines += Function(chance, number, lane, list(names)).text()
            names.append(f"f{number}")
            number += 1
        tops.append(names[-1])
    if threads:
        for lane in (1, 2):
            lines += [f"static void* thread{lane}(void* argument) {{", f"unsigned local[12] = {{{lane}, 2, 3, *(unsigned*)argument}};",
                      f"unsigned result = {tops[lane]}(local[3], local, &parts[{lane}], 0);", f"numbers[{lane}] = result ^ local[2];",
                      "pthread_mutex_lock(&lock);", f"total += perturb{lane}(result);", "pthread_mutex_unlock(&lock);", "return 0;", "}"]
    lines += ["int main(void) {", "unsigned base[12] = {3, 1, 4, 1, 5, 9, 2, 6};", f"unsigned start = perturb0({chance.randrange(1000)});"]
    if threads:
        lines += ["pthread_t ids[3];", "pthread_create(&ids[1], 0, thread1, &start);", "unsigned second = start * 3;",
                  "pthread_create(&ids[2], 0, thread2, &second);"]
    lines += [f"unsigned result = {tops[0]}(perturb0(base[0]), base, &parts[0], 0);", f"unsigned other = {tops[0]}(perturb0(base[1]), base + 2, &parts[3], 1);"]
    if threads:
        lines += ["pthread_join(ids[1], 0);", "pthread_join(ids[2], 0);"]
    lines += ['snprintf(text, sizeof text, "%08x %08x", result, other);']
    printed = ["result", "other", "base[1]", "base[5]", "parts[0].a", "parts[0].b", "parts[3].d[2]", "start"]
    if threads:
        printed += ["numbers[1]", "numbers[2]", "total", "parts[1].a", "parts[2].d[1]"]
    lines += [f'printf("%08x\\n", (unsigned)({each}));' for each in printed]
    lines += ['printf("%s\\n", text);', "return 0;", "}"]
    return "\n".join(lines) + "\n"
