#!/usr/bin/env python3
"""Build the docs as a site from the same files, and fail on each link that leads nowhere.

    docs_site.py        (or `make docs`; mkdocs-material in build/mkdocs, which `make for-tests` fetches)

The pages link each other, the READMEs of folders and files beside them as they
lie in the repository. So they are copied below build/docs-src as they lie, and
mkdocs checks the links there: an absent page, file or heading is an error.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGED = ROOT / "build" / "docs-src"
PACKAGES = ROOT / "build" / "mkdocs"
LINK = re.compile(r"\]\(([^)#\s]+)")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
                            cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def linked(page, text):
    """Files of the repository that a page links beside other pages, such as a schema or a picture."""
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path = pathlib.PurePosixPath(os.path.normpath(pathlib.PurePosixPath(page).parent / target))
        if path.suffix != ".md" and (ROOT / path).is_file():
            yield str(path)


def stage(pages):
    """Copy the pages and what they link below STAGED, anew; how many pages."""
    shutil.rmtree(STAGED, ignore_errors=True)
    files = set(pages)
    for page in pages:
        files.update(linked(page, (ROOT / page).read_text(encoding="utf-8")))
    files.update(tracked("docs/*.png", "docs/*.svg"))
    for name in sorted(files):
        target = STAGED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return len(pages)


def main():
    pages = tracked("*.md")
    if not pages:
        print("docs_site: no page found, so nothing was built")
        return 1
    count = stage(pages)
    environment = {**os.environ, "PYTHONPATH": str(PACKAGES), "PYTHONDONTWRITEBYTECODE": "", "NO_MKDOCS_2_WARNING": "1"}
    # Not with --quiet: mkdocs then counts no warning, and --strict passes whatever is wrong.
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=ROOT, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in done.stdout.splitlines():
        if line.strip() and not line.startswith("INFO"):
            print(line)
    if done.returncode == 0:
        print(f"docs_site: {count} pages, build/site/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
