"""Files that nothing of flatout's may touch, names that lead to them, and a watch over what this process opens to write."""

import contextlib
import hashlib
import os
import stat
import sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# For an audit event: the arguments that are paths, each with that of the folder it is relative to.
CHANGES = {"os.remove": [(0, 1)], "os.rename": [(0, 2), (1, 3)], "os.link": [(0, 2), (1, 3)], "os.symlink": [(1, 2)], "os.mkdir": [(0, 2)],
           "os.rmdir": [(0, 1)], "os.chmod": [(0, 2)], "os.chown": [(0, 3)], "os.utime": [(0, 3)], "os.truncate": [(0, None)],
           "os.setxattr": [(0, None)], "shutil.rmtree": [(0, 1)], "shutil.move": [(0, None), (1, None)], "shutil.copyfile": [(1, None)]}

_watching = None  # (folders that may be written to, what was written elsewhere)


def _outside(path, folder):
    if isinstance(path, int):
        return None
    path = os.fsdecode(path)
    if not os.path.isabs(path) and isinstance(folder, int) and folder >= 0:
        path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
    whole = os.path.join(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path))  # the name itself, not where it leads
    inside = any(whole == place or whole.startswith(place + os.sep) for place in _watching[0])
    return None if inside or whole.startswith("/dev/") else whole


def _hook(event, arguments):
    if _watching is None or not (event == "open" or event in CHANGES):
        return
    found = []
    if event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & WRITES and not flags & os.O_PATH
        # By os.open(..., dir_fd=): a name of one part, of a file that a later rename puts in place.
        if writes and not isinstance(path, int) and not os.fsdecode(path).startswith(".flatout-"):
            found.append(_outside(path, None))
    else:
        for at, folder in CHANGES[event]:
            found.append(_outside(arguments[at], arguments[folder] if folder is not None and folder < len(arguments) else None))
    _watching[1].extend((event, path) for path in found if path is not None)


@contextlib.contextmanager
def watched(*allowed):
    """A list of what this process opens to write, makes, renames or removes outside these folders."""
    global _watching
    if not getattr(sys, "_flatout_canaries", False):
        sys.addaudithook(_hook)  # for good
        sys._flatout_canaries = True
    written = []
    _watching = [os.path.realpath(one) for one in allowed], written
    try:
        yield written
    finally:
        _watching = None


def plant(root):
    """A tree of files with all that a name could lead to. The files' paths."""
    os.makedirs(os.path.join(root, "data/deep"))
    for name in ("model.bin", "data/a.txt", "data/deep/c.txt", "UPPER.txt", "x.json"):
        with open(os.path.join(root, name), "w") as file:
            file.write(f"the user's {name}")
    os.symlink("model.bin", os.path.join(root, "link"))
    os.symlink("data", os.path.join(root, "folder"))
    os.link(os.path.join(root, "UPPER.txt"), os.path.join(root, "second name"))
    os.chmod(os.path.join(root, "data/a.txt"), 0o640)
    return [os.path.join(root, name) for name in ("model.bin", "data/a.txt", "data/deep/c.txt", "UPPER.txt", "x.json")]


def seen(root):
    """All that a change would change, of everything below: name, kind, mode, inode, links, owner, size, times of change, content."""
    out = {}
    for folder, below, names in os.walk(root):
        for name in [".", *below, *names]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            out[os.path.relpath(path, root)] = (status.st_mode, status.st_ino, status.st_nlink, status.st_uid, status.st_size, status.st_mtime_ns,
                                                status.st_ctime_ns, content)
    return out


def hostile_names(files, base):
    """Names that lead to `files` from any folder, and names that are none. `base`: a folder with links to theirs."""
    out = []
    for path in files:
        up = "../" * 24 + path.lstrip("/")
        out += [path, up, f"a/{up}", "/" + path, path.upper(), path.replace("/", "\\"), os.path.relpath(path, base), f"{path}/", f"{path}\0",
                f"{path}/more.txt", os.path.dirname(path)]
    return [*out, f"file://{files[0]}", f"C:{files[0]}", "", ".", "..", "/", "//", "../..", "a/..", "a/../b", "..\\..\\x", "lone/model.bin", "model.bin",
            "Model.bin", "MODEL.BIN", "data", "data/a.txt", "data/a.txt/b", "upper.txt", "x", "x.json", "dangling", "a\0b", "x" * 300, "y/" * 300 + "z", " ",
            "a\nb", "~/x", "\udcff", "a:b", "-rf", "*", "**/*", "[", ".owner", ".lock"]
