"""Logs through flatout.track's recording: a loss that falls and rises again, and figures of its own."""

from flatout.track._recording import open_recording


def main():
    recording = open_recording()
    track = recording.open_track()
    recording.fact("track_run", {"track": track, "source": "flatout", "id": "one"})
    recording.fact("track_metric", {"track": track, "name": "loss", "summary": "min"})
    for step, loss in enumerate((3.0, 1.0, 2.0)):
        recording.values(track, step, {"loss": loss, "lr": 0.1})
    recording.fact("track_summary", {"track": track, "set": {"acc": {"top1": 0.8}, "note": "text"}})
    recording.close(0)


if __name__ == "__main__":
    main()
