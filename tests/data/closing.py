"""A program that ends in one of many ways while threads of its own still use loaders: python closing.py ENDING FOLDER."""

import _thread
import os
import sys
import threading

from flatout import data


def loop(folder, turns=None):
    with_epochs = iter(int, 1) if turns is None else range(turns)
    loader = data.images(folder).shuffle(seed=1).random_resized_crop(32).batch(2, threads=2)
    for _ in with_epochs:
        for images, _labels in loader:
            assert images.shape[1:] == (3, 32, 32)
            begun.set()
    return loader


def thread(folder, daemon, turns=None, target=loop):
    made = threading.Thread(target=target, args=(folder, turns), daemon=daemon)
    made.start()
    return made


def exit_in_thread(folder, turns):
    loop(folder, 1)
    sys.exit(3)


def main(ending, folder):
    thread(folder, daemon=ending != "non-daemon", turns=3 if ending == "non-daemon" else None)
    thread(folder, daemon=True)
    begun.wait()
    loader = data.images(folder).resize(40).center_crop(32).batch(3)
    kept = next(iter(loader))  # a batch alive at the end
    print("near the end", kept[0].shape, flush=True)
    if ending == "_exit":
        os._exit(0)
    elif ending == "sys.exit":
        sys.exit(0)
    elif ending == "exit in a thread":
        thread(folder, False, target=exit_in_thread).join()
    elif ending == "exception":
        for _ in loader:
            raise KeyError("in the loop")
    elif ending == "interrupt":
        _thread.interrupt_main()
        while True:
            for _ in loader:
                pass
    elif ending == "closed by atexit":
        loader.close()
    elif ending == "fork":
        child = os.fork()
        if child == 0:
            try:
                next(iter(loader))
            except data.LoaderError as error:
                loader.close()
                loader.close()
                print(str(error)[:34], flush=True)
            sys.exit(0)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


begun = threading.Event()
if __name__ == "__main__":
    main(*sys.argv[1:])
