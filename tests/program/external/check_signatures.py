#!/usr/bin/env python3
"""Fails when the table of external functions disagrees with the system's headers about a function's parameters.

Usage: check_signatures.py CULPRIT CLANG HEADERS.c
"""

import json
import re
import subprocess
import sys

INTEGERS = re.compile(
    r"(un)?signed (int|char|short)|int|short|char|wchar_t|char(16|32)_t|wint_t|_?Bool|bool|u?int(8|16|32)_t|__u?int32_t"
    r"|(__)?(mode|pid|uid|gid|key|clockid|socklen|id|useconds|nlink)_t|idtype_t|tcflag_t|speed_t|nl_item|in_(addr|port)_t"
    r"|pthread_key_t|tss_t|ACTION|VISIT|error_t|regoff_t|__re_size_t|uInt|enum \w+|__(rlimit_resource|rusage_who|"
    r"itimer_which|priority_which)_t|XML_Bool|OnigOptionType")
FLOATS = {"float": "float", "double": "double", "long double": "ldouble", "_Float32": "float", "_Float32x": "double",
          "_Float64": "double", "_Float64x": "ldouble"}


def kind(spelled):
    """The table's word for a C type; None where the machine passes it in another form."""
    bare = re.sub(r"\b(const|volatile|restrict|__restrict)\b", "", spelled).strip()
    if bare == "void":
        return "void"
    if "_Complex" in bare or bare == "ENTRY" or bare.startswith("struct ") and "*" not in bare:
        return None
    if "*" in bare or "[" in bare:
        return "word"
    return FLOATS.get(bare) or ("int" if INTEGERS.fullmatch(bare) else "word")


def split(parameters):
    """At commas that are not in parentheses."""
    parts, depth = [""], 0
    for c in parameters:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip() not in ("", "void")]


def declared(clang, headers):
    """Name → (result, parameters, variadic) of every function that the headers declare."""
    dump = subprocess.run([clang, "-std=gnu17", "-fsyntax-only", "-Xclang", "-ast-dump", headers], check=False,
                          capture_output=True, text=True, errors="replace").stdout
    found = {}
    for line in dump.splitlines():
        match = re.search(r"FunctionDecl .*? (\w+) '([^']*)'", line)
        if not match:
            continue
        spelled = re.sub(r"__attribute__\(\(.*?\)\)", "", match.group(2)).strip()
        depth = 0
        for start in range(len(spelled) - 1, -1, -1):
            depth += (spelled[start] == ")") - (spelled[start] == "(")
            if depth == 0:
                break
        parameters = split(spelled[start + 1:-1])
        variadic = "..." in parameters
        result = spelled[:start].strip()
        if "(" not in result:  # a function that returns a function is spelled inside out
            found.setdefault(match.group(1), (result, [each for each in parameters if each != "..."], variadic))
    return found


def disagreement(described, result, parameters, variadic):
    kinds = [kind(each) for each in [result, *parameters]]
    if None in kinds:
        return None
    said = ["int" if each == "unsigned" else each for each in [described["result"], *described["parameters"]]]
    if said[0] == "void":
        kinds[0] = "void"  # the table may leave a result out
    if said != kinds or described["variadic"] != variadic:
        return f"{described['at']} {described['function']}: {said} in the table, {kinds} in the headers"
    for index in described["writes_at"]:
        if re.match(r"const [^*]*\*[^*]*$", parameters[index]):
            return f"{described['at']} {described['function']}: writes at parameter {index + 1}, which is {parameters[index]}"
    return None


def main():
    culprit, clang, headers = sys.argv[1:]
    table = json.loads(subprocess.check_output([culprit, "dump", "external", "--described", "--json"]))
    functions = declared(clang, headers)
    compared = [each for each in table if each["function"] in functions]
    wrong = list(filter(None, (disagreement(each, *functions[each["function"]]) for each in compared)))
    for line in wrong:
        print(line)
    print(f"{len(compared)} of {len(table)} functions compared, {len(wrong)} disagree")
    return 1 if wrong or len(compared) < 900 else 0


if __name__ == "__main__":
    sys.exit(main())
