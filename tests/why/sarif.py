"""The part of SARIF 2.1.0 (OASIS) that Culprit writes, as checks: of each kind of object its properties, which of them
it must have, and what they may hold."""
import re

URI = re.compile(r"^([a-z][a-z0-9+.-]*:)?(//[^\s/?#]*)?([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$")
LEVELS = ("none", "note", "warning", "error")


def text(value):
    return isinstance(value, str)


def whole(least):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def boolean(value):
    return isinstance(value, bool)


def rank(value):
    return isinstance(value, (int, float)) and -1 <= value <= 100


def one_of(*words):
    return lambda value: value in words


def uri(value):
    return isinstance(value, str) and URI.match(value) is not None


# Kind: {property: (whether it must be there, check, kind of an object, or [kind] for a list of them)}
OBJECTS = {
    "log": {"$schema": (False, uri), "version": (True, one_of("2.1.0")), "runs": (True, ["run"])},
    "run": {"tool": (True, "tool"), "invocations": (False, ["invocation"]), "results": (False, ["result"])},
    "tool": {"driver": (True, "component")},
    "component": {"name": (True, text), "version": (False, text), "rules": (False, ["rule"])},
    "rule": {"id": (True, text), "shortDescription": (False, "message")},
    "invocation": {"commandLine": (False, text), "executionSuccessful": (True, boolean)},
    "result": {"ruleId": (False, text), "level": (False, one_of(*LEVELS)), "message": (True, "message"),
               "locations": (False, ["location"]), "relatedLocations": (False, ["location"]),
               "stacks": (False, ["stack"]), "rank": (False, rank)},
    "message": {"text": (True, text)},
    "stack": {"message": (False, "message"), "frames": (True, ["frame"])},
    "frame": {"location": (False, "location")},
    "location": {"id": (False, whole(-1)), "physicalLocation": (False, "physical"),
                 "logicalLocations": (False, ["logical"]), "message": (False, "message")},
    "physical": {"artifactLocation": (True, "artifact"), "region": (False, "region")},
    "artifact": {"uri": (True, uri)},
    "region": {"startLine": (True, whole(1)), "startColumn": (False, whole(1))},
    "logical": {"name": (True, text), "kind": (False, text)},
}
# Lists in which nothing may be twice.
SETS = {"rules", "relatedLocations", "logicalLocations", "stacks"}


def faults(value, kind="log", where="log"):
    """What is wrong with an object, one line each."""
    if not isinstance(value, dict):
        return [f"{where} is no object"]
    properties = OBJECTS[kind]
    found = [f"{where} has no {name}" for name, (needed, _) in properties.items() if needed and name not in value]
    for name, held in value.items():
        place = f"{where}.{name}"
        if name not in properties:
            found.append(f"{place} is unknown")
            continue
        check = properties[name][1]
        if isinstance(check, str):
            found += faults(held, check, place)
        elif isinstance(check, list):
            if not isinstance(held, list):
                found.append(f"{place} is no list")
                continue
            for index, each in enumerate(held):
                found += faults(each, check[0], f"{place}[{index}]")
            if name in SETS and any(each in held[:index] for index, each in enumerate(held)):
                found.append(f"{place} has something twice")
        elif not check(held):
            found.append(f"{place} is {held!r}")
    return found
