"""The first lines of a tune say what is real in a trial and what is not."""

import subprocess

import harness
import pytest


@pytest.mark.parametrize("options", [(), ("--in-place",)], ids=["", "in place"])
def test_what_is_real(cli, tmp_path, options):
    done = subprocess.run(
        [str(harness.flatout_bin()), "tune", *options, "--", "true"], env=cli.env(), cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    first = done.stdout.splitlines()[:4]
    assert first[0].startswith("plan: first the program as it is"), done.stdout + done.stderr
    if options:
        assert "in this folder itself" in first[0] and first[1] == "all that trials write is real, and is written once a trial"
        return
    assert "in a throwaway" in first[0]
    said = " ".join(first[1:])
    for word in ("thrown away", "the rest is real", "network", "databases", "/etc", "/var", "shells", "stops accidents, not intent"):
        assert word in said, first
