"""Logs numbers until it is killed or STOP is there: logs.py ID SAID [STOP] [NAMESPACE]

With a NAMESPACE through Neptune's names, else through wandb's. What log() has taken stands in SAID.
"""

import os
import sys
import time

from flatout import track
from flatout.track import neptune

name, said, stop, namespace = (sys.argv[1:] + ["", ""])[:4]
taken = os.open(said, os.O_WRONLY | os.O_CREAT, 0o600)
if namespace:
    run = neptune.init_run(custom_run_id=name, monitoring_namespace=namespace)
else:
    run = track.init(id=name, resume="allow", config={"by": os.path.basename(said)})
own = os.path.basename(said)
step = 0
while not (stop and os.path.exists(stop)):
    if namespace:
        run[f"{own}/value"].append(float(step), step=step)
    else:
        run.log({f"{own}/value": step, "shared": step}, step=step)
    step += 1
    os.pwrite(taken, b"%20d" % step, 0)
    time.sleep(0.001)
run.stop() if namespace else run.finish()
