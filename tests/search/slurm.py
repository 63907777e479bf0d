"""A Slurm of one node, for a test: slurmctld and slurmd of Debian's packages, with their files in a
folder of their own, on free ports, without munge, cgroups and accounting."""

import os
import shutil
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "srun", "sinfo", "squeue")
PATIENCE_S = 60

CONFIGURATION = """
ClusterName=flatout
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Why no Slurm can run here; "" where one can."""
    os.environ["PATH"] = os.environ["PATH"] + ":/usr/sbin"
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not installed: see tools/setup/apt_slurm.txt"
    if os.geteuid() != 0:
        return "slurmd of a single node runs as root"
    return ""


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


class Slurm:
    def __init__(self, folder):
        self.folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        (folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, controller=free_port(), node=free_port(), folder=folder, cpus=len(os.sched_getaffinity(0))))
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.env = {"SLURM_CONF": str(folder / "slurm.conf")}
        self.daemons = []

    def start(self):
        """Why it did not come up; "" where it did."""
        for program in ("slurmctld", "slurmd"):
            with open(self.folder / f"{program}.out", "w") as out:
                self.daemons.append(subprocess.Popen([program, "-D"], env={**os.environ, **self.env},
                                                     stdout=out, stderr=out, start_new_session=True))
        end = time.monotonic() + PATIENCE_S
        while "idle" not in self.said("sinfo", "--noheader", "--format=%T"):
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                return f"Slurm did not come up ({', '.join(ended) or 'no idle node'}): {self.logs()[-600:]}"
            time.sleep(0.2)
        return ""

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def said(self, *command):
        done = subprocess.run(command, env={**os.environ, **self.env}, capture_output=True, text=True, timeout=60)
        return done.stdout

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("slurm*.[lo]*")))
