# SPDX-License-Identifier: Apache-2.0
"""Entry point: ``python3 <folder>/windrow/tables/__main__.py REQUEST.json``, by which the engine
has done what it does not do with tables itself.

The request is an object with `do`, a verb, and what that needs. One JSON object is printed:
what the verb answers, or {"error": sentence, "final": whether every other try ends so too}; the
exit code is 0 or 1. Whatever a library prints goes to standard error.

Started by its path: the folder of this file would stand first on the import path, where `errors`
or `records` of ours would win over anybody else's. It goes; that of the package comes.
"""

VERBS = {  # each module has run(request)
    "join": "windrow.tables.join",
    "query": "windrow.tables.query",
    "partition": "windrow.tables.repartition",
}


def answer_to(path: str) -> "dict[str, object]":
    """What is to be printed. Never raises an Exception."""
    import json
    from importlib import import_module

    from windrow.tables.errors import FinalError, TableError

    try:
        with open(path, encoding="utf-8") as file:
            request = json.load(file)
        verb = request["do"]
        if verb not in VERBS:
            raise TableError(f"do: {verb!r} is not one of {', '.join(VERBS)}")
        made: dict[str, object] = import_module(VERBS[verb]).run(request)
        return made
    except TableError as error:
        return {"error": str(error), "final": isinstance(error, FinalError)}
    except Exception as error:
        import traceback

        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}", "final": False}


def main() -> None:
    import json
    import os
    import sys

    if sys.version_info < (3, 7):  # noqa: UP036  # any Python reads this file
        print('{"error": "tables need Python 3.7 or newer"}')
        sys.exit(1)
    here = os.path.dirname(os.path.realpath(__file__))
    if os.path.realpath(sys.path[0]) == here:  # not so under PYTHONSAFEPATH
        del sys.path[0]
    sys.path.insert(0, os.path.dirname(os.path.dirname(here)))
    printed = os.dup(1)
    os.dup2(2, 1)
    said = answer_to(sys.argv[1])
    with open(printed, "w", encoding="ascii") as file:
        file.write(json.dumps(said) + "\n")
    sys.exit(1 if "error" in said else 0)


if __name__ == "__main__":
    main()
