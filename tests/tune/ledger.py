"""The ledger of a tune, looked at in the page of `flatout ui` over the store that the tune left."""

import json
import shutil
import subprocess
import sys
import warnings

import harness

sys.path.insert(0, str(harness.ROOT / "tests/ui"))
from ui_server import UiServer  # noqa: E402

WEB = harness.ROOT / "web"


def assert_shown(tune, document):
    """Row by row what the document says; where there is no browser, a warning says that nobody looked."""
    if not (shutil.which("node") and shutil.which("chromium") and (WEB / "node_modules/playwright-core").is_dir()):
        warnings.warn("no browser here: the ledger was not looked at", stacklevel=2)
        return
    shown = tune.folder.parent / "shown.json"
    shown.write_text(json.dumps(document))
    with UiServer(tune.home) as server:
        assert server.get(f"/runs/{document['id']}/tune") == document
        done = subprocess.run(["node", WEB / "tests/ledger.mjs", server.url, shown], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
