import os
import pathlib
import subprocess

import pytest

from browser import CHROMIUM, Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("FLATOUT_BIN", ROOT / "build/release/bin/flatout"))
EXAMPLES = BINARY.resolve().parents[1] / "test" / "html_examples"


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Every example page, in order of its name."""
    if not EXAMPLES.exists():
        pytest.fail(f"{EXAMPLES} is missing: build everything, or set FLATOUT_BIN")
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run([EXAMPLES, folder], check=True, timeout=60)
    found = sorted(folder.glob("*.html"))
    assert len(found) > 80
    return found


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium here: tools/setup/apt_browser.txt names the package, which make test installs where apt works")
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one
