"""The order of a run: each peer is tried, checked and set up alone, then all are measured epoch by epoch, in turn.

A `link` is anything with PeerLink's methods; `make_link(name)` starts one. Progress goes to `say`. each_round(number) is called
before each measured round, while all peers stand still: for what is measured beside them.
"""

import contextlib

from . import figures, machine, page_cache
from .peer_link import PeakMemory, PeerFailed

SEARCH_BATCHES = 20
SEARCH_SKIPPED = 6  # what workers fetched ahead and the start itself


class Run:
    def __init__(self, make_link, settings, say=print, peak_memory=PeakMemory, each_round=lambda number: None):
        self.make_link, self.settings, self.say, self.peak_memory, self.each_round = make_link, settings, say, peak_memory, each_round

    @contextlib.contextmanager
    def _process(self, name):
        link = self.make_link(name)
        try:
            yield link, link.ask("start", cores=self.settings.cores)
        finally:
            link.end()

    def _folders(self, name, folder):
        return {"folder": str(folder), "packed": str(self.settings.packed / folder.name / name)}

    def _warm(self, name, packed):
        page_cache.warm(self._folders(name, self.settings.folder)["packed" if packed else "folder"])

    def _open(self, link, name, folder, threads):
        return link.ask("open", **self._folders(name, folder), batch_size=self.settings.batch_size, threads=threads,
                        seed=self.settings.seed)

    def set_up(self, name):
        """What is known of a peer before it is measured; with "why_not" where it will not be."""
        try:
            with self._process(name) as (link, started):
                if started["why_not"]:
                    return {"why_not": started["why_not"]}
                known = {key: started[key] for key in ("versions", "packed", "differs")}
                link.ask("prepare", **self._folders(name, self.settings.check_folder))
                checked = link.ask("check", **self._folders(name, self.settings.check_folder), batch_size=self.settings.batch_size,
                                   threads=self.settings.cores, seed=self.settings.seed)
                if checked["problems"]:
                    return {**known, "why_not": "the check of its output failed: " + "; ".join(checked["problems"])}
                prepared = link.ask("prepare", limit_s=900, **self._folders(name, self.settings.folder))
                known |= {"packed_bytes": prepared["packed_bytes"], "prepare_s": prepared["took_ns"] / 1e9,
                          "checked": checked["samples"]}
            counts = [self.settings.threads] if self.settings.threads else sorted(set(started["thread_counts"]))
            return {**known, "why_not": None, **self._search(name, counts)}
        except PeerFailed as problem:
            return {"why_not": str(problem)}

    def _search(self, name, counts):
        """The count of threads that is fastest over a few batches, each tried in a process of its own; the rates of all."""
        if len(counts) == 1:
            return {"threads": counts[0], "searched": {}}
        rates = {}
        for count in counts:
            with self._process(name) as (link, _):
                self._open(link, name, self.settings.folder, count)
                short = link.ask("epoch", at_most_batches=SEARCH_BATCHES)
                rates[count] = figures.later_rate(short, self.settings.batch_size, SEARCH_SKIPPED)
        return {"threads": max(rates, key=rates.get), "searched": {str(count): rate for count, rate in rates.items()}}

    def _start(self, name, known):
        """A process that has given its first epoch, the discarded one, and what starting it cost."""
        self._warm(name, known["packed"])
        link = self.make_link(name)
        try:
            started = link.ask("start", cores=self.settings.cores)
            ready_bytes = self._pss(link)
            with self.peak_memory(link.process.pid) as memory:
                opened = self._open(link, name, self.settings.folder, known["threads"])
                first = link.ask("epoch")
        except PeerFailed:
            link.end()
            raise
        known |= {"start_s": [figures.start_seconds(link.began_ns, started, opened, first)], "ready_pss_bytes": ready_bytes,
                  "peak_pss_bytes": memory.peak_bytes, "peak_pss_file_bytes": memory.peak_file_bytes, "epochs": [], "discarded": _small(first)}
        self._counted(first)
        return link

    def _pss(self, link):
        memory = self.peak_memory(link.process.pid)
        memory.sample()
        return memory.peak_bytes

    def _counted(self, epoch):
        if epoch["samples"] != self.settings.images:
            raise PeerFailed(f"an epoch gave {epoch['samples']} samples of {self.settings.images}")

    def _again_from_start(self, name, known):
        """One more start, for the spread of the first batch."""
        with self._process(name) as (link, started):
            opened = self._open(link, name, self.settings.folder, known["threads"])
            first = link.ask("epoch", at_most_batches=1)
            known["start_s"].append(figures.start_seconds(link.began_ns, started, opened, first))

    def measure(self, names):
        """{name: all that is known} of every peer, measured or not."""
        peers = {}
        for name in names:
            self.say(f"{name}: trying, checking, setting up")
            peers[name] = self.set_up(name)
            if peers[name]["why_not"]:
                self.say(f"{name}: not measured: {peers[name]['why_not']}")
        links = {}
        try:
            self._measure(peers, links)
        finally:
            for link in links.values():
                link.end()
        return peers

    def _measure(self, peers, links):
        for name, known in peers.items():
            if known["why_not"]:
                continue
            self._guard(peers, links, name, lambda: self._start_and_pause(links, name, known))
        for number in range(1, self.settings.epochs):
            self.each_round(number)
            order = figures.rotated(list(links), number)
            for name in order:
                self._warm(name, peers[name]["packed"])
                self._guard(peers, links, name, lambda: self._epoch(links[name], peers[name]["epochs"], number))
            self.say(f"epoch {number}: " + ", ".join(f"{name} {figures.rate(peers[name]['epochs'][-1]):.0f}" for name in links))
        step_ns = self._consumer_step_ns(peers, links)
        for name in list(links):
            self._warm(name, peers[name]["packed"])
            self._guard(peers, links, name, lambda: self._consume(links[name], peers[name], step_ns))
        for name in list(links):
            for _ in range(self.settings.starts - 1):
                self._guard(peers, links, name, lambda: self._again_from_start(name, peers[name]))

    def _guard(self, peers, links, name, act):
        """A peer that fails now is out, with its reason; the others go on."""
        try:
            if not peers[name]["why_not"]:
                act()
        except PeerFailed as problem:
            peers[name]["why_not"] = str(problem)
            self.say(f"{name}: out: {problem}")
            if name in links:
                links.pop(name).end()

    def _start_and_pause(self, links, name, known):
        links[name] = self._start(name, known)
        links[name].pause()
        self.say(f"{name}: {known['threads']} threads, discarded epoch {figures.rate(known['discarded']):.0f} images/s")

    def _epoch(self, link, into, number):
        busy_ns = machine.busy_ns()
        link.go_on()
        try:
            epoch = link.ask("epoch")
        finally:
            link.pause()
        others_ns = max(0, machine.busy_ns() - busy_ns - epoch["cpu_ns"])
        self._counted(epoch)
        into.append({**_small(epoch), "round": number, "waits_ns": epoch["waits_ns"], "others_cpu_ns": others_ns,
                     "stages": epoch.get("stages")})

    def _consumer_step_ns(self, peers, links):
        """Of a batch: what a device takes that asks for a share of what the fastest gives, or the rate that was set."""
        measured = [figures.median_rate(peers[name]) for name in links]
        if not measured:
            return None
        rate = self.settings.consumer_rate or self.settings.consumer_share * max(measured)
        return round(self.settings.batch_size / rate * 1e9)

    def _consume(self, link, known, step_ns):
        link.go_on()
        try:
            epoch = link.ask("epoch", step_ns=step_ns)
        finally:
            link.pause()
        known["consumer"] = {"step_ns": step_ns, "starvation": epoch["starvation"], **_small(epoch)}


def _small(epoch):
    return {key: epoch[key] for key in ("samples", "wall_ns", "first_ns", "cpu_ns")}
