"""Runs a SQLMesh command a day from now: SQLMesh evaluates a daily model once a day.

    python sqlmesh_tomorrow.py ARGUMENTS OF SQLMESH…
"""

import datetime
import sys

import time_machine
from sqlmesh.cli.main import cli

if __name__ == "__main__":
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    with time_machine.travel(tomorrow, tick=True):
        cli(prog_name="sqlmesh")
