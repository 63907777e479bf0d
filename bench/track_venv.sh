#!/usr/bin/env bash
# bench/track_venv.sh: the trackers that bench/track.py measures, in an environment of their own, build/peers_track (about 900 MB).
set -e
cd "$(dirname "$0")/.."
"${PYTHON:-python3}" -m venv build/peers_track
build/peers_track/bin/pip install --quiet --disable-pip-version-check wandb==0.31.0 mlflow==3.17.2 trackio==0.43.0 aim==3.29.1 tensorboard==2.21.0 \
  tensorboardX==2.6.5 neptune==1.14.0.post2 numpy
