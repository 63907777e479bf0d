"""What decoding alone gives, from build/*/bench/data_ceilings (bench/data_ceilings.cc), once a round beside the loaders."""

import json
import statistics
import subprocess

LIMIT_S = 300  # of one round
RATES = ("images_per_s", "images_per_cpu_s")


class Ceilings:
    """Collects the rounds of one program; `lines` is what the page gets."""

    def __init__(self, program, folder, affinity, seed, run=subprocess.run):
        self.program, self.folder, self.affinity, self.seed, self.run = program, folder, sorted(affinity), seed, run
        self.found = {}

    def measure(self, number):
        """One round, on the crops of epoch `number`. CalledProcessError where the program fails."""
        cpus = ",".join(map(str, self.affinity))
        command = ["taskset", "--cpu-list", cpus, self.program, self.folder, len(self.affinity), self.seed, number]
        done = self.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S)
        for line in json.loads(done.stdout)["ceilings"]:
            known = self.found.setdefault(line["name"], {**line, "rounds": []})
            known["rounds"].append({"round": number, **{rate: line[rate] for rate in RATES if rate in line}})

    def lines(self):
        return [{**line, **{rate: statistics.median(one[rate] for one in line["rounds"]) for rate in RATES if rate in line}}
                for line in self.found.values()]
