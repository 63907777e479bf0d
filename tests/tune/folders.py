"""What a folder holds, to be compared before and after."""

import hashlib
import os
import stat


def fingerprint(folder):
    """Every entry below `folder`: kind, mode, time and bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        content = ""
        if stat.S_ISREG(info.st_mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(info.st_mode):
            content = os.readlink(path)
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_mtime_ns, content)
    return found
