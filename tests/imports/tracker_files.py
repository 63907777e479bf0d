"""Files as TensorBoard, wandb and MLflow write them, made here."""

import struct
import zlib


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def wandb_item(key, value_json):
    return text(1, text(1, key) + text(16, value_json))


def wandb_log(records):
    """One block's worth of records, each whole."""
    out = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for record in records:
        out += struct.pack("<IHB", zlib.crc32(b"\1" + record), len(record), 1) + record
    return out


def wandb_run(steps, exit_code=0, name="brisk-wave", run="3k2f9x1c"):
    config = wandb_item("lr", "0.1") + wandb_item("model", '{"depth":18}')
    records = [text(17, text(1, run) + text(3, "mnist") + text(8, name) + text(10, "base") + text(17, number(1, 1_700_000_000)) + text(4, config))]
    for step in range(steps):
        items = wandb_item("_step", str(step)) + wandb_item("_timestamp", str(1_700_000_000 + step)) + wandb_item("loss", str(1 / (step + 1)))
        records.append(text(2, items + (wandb_item("note", '"warm"') if step == 0 else b"")))
    return wandb_log([*records, text(18, number(1, exit_code))])


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def event_file(scalars, wall=1_700_000_000.0):
    """[(tag, step, value)]"""
    events = [varint(1 << 3 | 1) + struct.pack("<d", wall) + text(3, "brain.Event:2")]
    for at, (tag, step, value) in enumerate(scalars):
        scalar = text(1, tag) + varint(2 << 3 | 5) + struct.pack("<f", value)
        events.append(varint(1 << 3 | 1) + struct.pack("<d", wall + at) + number(2, step) + text(5, text(1, scalar)))
    out = b""
    for event in events:
        length = struct.pack("<Q", len(event))
        out += length + struct.pack("<I", crc32c(length)) + event + struct.pack("<I", crc32c(event))
    return out


def mlflow_run(folder, status=3):
    for name, content in {
        "meta.yaml": f"run_id: 0123abcd\nrun_name: calm-dog\nstart_time: 1700000000000\nend_time: 1700000009000\nstatus: {status}\n",
        "params/lr": "0.01",
        "metrics/loss": "1700000001000 0.5 0\n1700000002000 0.25 1\n",
        "tags/stage": "dev",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
