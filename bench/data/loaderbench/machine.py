"""What the page says of the machine and the day."""

import datetime
import os
import platform

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


def _model():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def busy_ns(stat="/proc/stat"):
    """CPU time that all cores together did not idle since the boot: every program's, the kernel's, and what a host took away."""
    with open(stat) as file:
        user, nice, system, _idle, _waiting, irq, soft, stolen = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + soft + stolen) * TICK_NS


def facts(cores):
    return {"cpu": _model(), "cores": cores, "cpus_of_machine": os.cpu_count(), "linux": platform.release(),
            "python": platform.python_version(), "date": datetime.date.today().isoformat(), "load_before": os.getloadavg()[0]}
