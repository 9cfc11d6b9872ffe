"""Runs dbt or SQLMesh commands for another process, without paying their start-up for each.

    python framework_server.py dbt|sqlmesh

The framework is imported once; each request, one JSON line on standard input, runs in a forked child, so that no
state, no open database and no changed environment outlives it. The answer is one JSON line on standard output:
{"exit": 0, "output": "all that the command printed"}.

Request: {"arguments": [...], "folder": "where to run", "environment": {...}, "days": 0, "refused": [...]}. "days" moves the
child's clock forward, since SQLMesh evaluates a daily model once a day. "refused" are regular expressions: a statement in
which one of them is found fails instead of being sent.
"""

import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

Command = Callable[[list[str]], int]


def dbt_command() -> Command:
    import dbt.jsonschemas.jsonschemas as schemas
    from dbt.adapters.duckdb import DuckDBAdapter  # noqa: F401 (imported here, so that no child has to)
    from dbt.adapters.postgres import PostgresAdapter  # noqa: F401
    from dbt.cli.main import dbtRunner

    # dbt checks its deprecations only for some adapters; what we generate must be clean on all.
    schemas._JSONSCHEMA_SUPPORTED_ADAPTERS |= {"duckdb", "postgres"}

    def run(arguments: list[str]) -> int:
        result = dbtRunner().invoke(arguments)
        if result.exception is not None:
            print(result.exception)
        return 0 if result.success else 1

    return run


def sqlmesh_command() -> Command:
    import sqlmesh
    from sqlmesh.cli.main import cli

    assert sqlmesh

    def run(arguments: list[str]) -> int:
        try:
            cli.main(arguments, prog_name="sqlmesh", standalone_mode=False)
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else 1
        except Exception as problem:
            print(f"{type(problem).__name__}: {problem}")
            return 1
        return 0

    return run


def refuse(target: str, patterns: list[str]) -> None:
    """A statement in which one of the patterns is found fails. What stands before the pattern, or before its group if it has
    one, in the same text is sent."""
    if target == "dbt":
        from dbt.adapters.sql.connections import SQLConnectionManager as Sender

        method = "add_query"
    else:
        from sqlmesh.core.engine_adapter.base import EngineAdapter as Sender

        method = "_execute"
    send = getattr(Sender, method)

    def send_unless_refused(self: Any, sql: str, *arguments: Any, **named: Any) -> Any:
        for pattern in patterns:
            found = re.search(pattern, sql, re.DOTALL)
            if found:
                before = sql[: found.start(found.lastindex or 0)].rpartition(";")[0]
                if before:
                    send(self, before, *arguments, **named)
                raise RuntimeError(f"refused: {pattern}")
        return send(self, sql, *arguments, **named)

    setattr(Sender, method, send_unless_refused)


def child(run: Command, request: dict, output: int) -> int:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    if request["refused"]:
        refuse(sys.argv[1], request["refused"])
    try:
        if request["days"] == 0:
            return run(request["arguments"])
        import datetime

        import time_machine

        then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=request["days"])
        with time_machine.travel(then, tick=True):
            return run(request["arguments"])
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def answer(run: Command, request: dict) -> dict:
    with tempfile.TemporaryFile() as output:
        process = os.fork()
        if process == 0:
            os._exit(child(run, request, output.fileno()))
        _, status = os.waitpid(process, 0)
        output.seek(0)
        return {
            "exit": os.waitstatus_to_exitcode(status),
            "output": output.read().decode("utf-8", "replace"),
        }


def main() -> None:
    # The protocol keeps its own copy of standard output; whatever the framework prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    run = {"dbt": dbt_command, "sqlmesh": sqlmesh_command}[sys.argv[1]]()
    for line in sys.stdin:
        print(json.dumps(answer(run, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
