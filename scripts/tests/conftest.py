"""Options and shared fixtures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("blocking", "case", "cases", "harness")

from harness import stop_servers  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=1, help="the first seed of the random histories")
    parser.addoption("--count", type=int, default=1, help="how many random histories each law gets")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first, count = metafunc.config.getoption("seed"), metafunc.config.getoption("count")
        metafunc.parametrize("seed", range(first, first + count))


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[None]:
    yield
    stop_servers()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder for the whole module."""
    return tmp_path_factory.mktemp(request.module.__name__)
