"""Whether a log is SARIF 2.1.0 (OASIS): against a JSON schema of the part that Culprit writes, which was written from
the standard's text (sarif-2.1.0-part.schema.json); by what the standard demands and no schema can say; and, where the
environment's SARIF_SCHEMA names a file with the standard's own schema, against that, too."""

import json
import os
import pathlib

import jsonschema

PART = json.loads((pathlib.Path(__file__).parent / "sarif-2.1.0-part.schema.json").read_text())


def by_schema(log, schema):
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return [f"{error.json_path}: {error.message}" for error in kind(schema, format_checker=jsonschema.FormatChecker()).iter_errors(log)]


def between_objects(log):
    """3.27.5: a rule that the tool describes; 3.28.2: a location's id is unique within its result."""
    found = []
    for number, run in enumerate(log.get("runs", [])):
        rules = {rule.get("id") for rule in run["tool"]["driver"].get("rules", [])}
        for index, result in enumerate(run.get("results", [])):
            where = f"$.runs[{number}].results[{index}]"
            if "ruleId" in result and result["ruleId"] not in rules:
                found.append(f"{where}.ruleId: no rule {result['ruleId']!r}")
            ids = [place["id"] for place in result.get("relatedLocations", []) if "id" in place]
            if len(set(ids)) != len(ids):
                found.append(f"{where}.relatedLocations: an id twice")
    return found


def faults(log):
    """What is wrong with a log, one line each."""
    found = by_schema(log, PART)
    if not found:
        found = between_objects(log)
    if official := os.environ.get("SARIF_SCHEMA"):
        found += by_schema(log, json.loads(pathlib.Path(official).read_text()))
    return found
