# SPDX-License-Identifier: Apache-2.0
"""`--amlbi_pf_run_mode component` among the script's arguments: of each JSON text that run()
returns, only its field `output` is a row."""

import json

from windrow.worker.rows import RUN_MODE, WrongType


def asked(argv: "list[str]") -> bool:
    """The last one counts, as with all arguments of the engine."""
    found = ""
    for i, word in enumerate(argv):
        name, equals, value = word.partition("=")
        if name == RUN_MODE:
            found = value if equals else "".join(argv[i + 1 : i + 2])
    return found.strip("'\"") == "component"


def output_of(element: object) -> object:
    """Raises WrongType."""
    row = element
    if isinstance(element, (str, bytes)):
        try:
            row = json.loads(element)
        except ValueError:
            row = None
    if not isinstance(row, dict) or "output" not in row:
        raise WrongType(
            f"{RUN_MODE} component takes the field output of each element that run() returns;"
            " return JSON objects with one, or leave the argument out"
        )
    value = row["output"]
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value
