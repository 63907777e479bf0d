"""How often an engine's figures are told (flatout.native_form.figures), and that a loader's are whole."""

import math

from flatout.native_form import figures


class Iterator:
    pass


def test_told_soon_then_each_second_then_ever_more_seldom(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(figures.time, "monotonic", lambda: now[0])
    told = figures.Told()
    told.look()
    told.ended()
    assert told.due == math.inf, "nobody listens"
    at, iterator = [], Iterator()
    for _ in range(3):  # workers that persist: one iterator, several epochs
        told.listen(iterator, lambda read: at.append(now[0] - 1000))
    for _ in range(100 * 3600):  # an hour, a batch each 10 ms
        now[0] += 0.01
        told.look()
    assert [round(one, 1) for one in at[:4]] == [0.1, 0.3, 0.7, 1.5]
    gaps = [later - sooner for sooner, later in zip(at, at[1:])]
    assert all(0.99 < gap < 1.02 for gap, when in zip(gaps, at) if 2 < when < 60)
    assert len(at) < 400 and max(gaps) < 60
    count = len(at)
    told.ended()
    assert len(at) == count, "the end of an epoch is no occasion of its own any more"
    now[0] += 60
    del iterator
    assert len(at) == count + 1, "but once: an iterator is gone"


def test_each_of_the_first_epochs_tells_how_it_ended():
    said, told, iterator = [], figures.Told(), Iterator()
    for _ in range(5):
        told.listen(iterator, said.append)
        told.ended()
    assert len(said) == 5
