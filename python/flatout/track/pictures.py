"""Arrays as PNG, WAV and GIF files: with the standard library, so that no other package is needed for the first two."""

from __future__ import annotations

import io
import struct
from typing import Any

__all__ = ["NotAPicture", "gif_bytes", "nested", "png_bytes", "shape_of", "wav_bytes"]

_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's colour type by channels


class NotAPicture(ValueError):
    """The array has no shape that a picture can have."""


def nested(array: Any) -> Any:
    """As nested lists: of numpy, torch, or lists already."""
    for step in ("detach", "cpu"):
        if hasattr(array, step):
            array = getattr(array, step)()
    if "bfloat16" in str(getattr(array, "dtype", "")):
        array = array.float()
    return array.tolist() if hasattr(array, "tolist") else array


def shape_of(array: Any) -> tuple[int, ...]:
    if hasattr(array, "shape"):
        return tuple(int(side) for side in array.shape)
    out: list[int] = []
    while isinstance(array, (list, tuple)) and len(out) < 8:  # one that holds itself has no end
        out.append(len(array))
        array = array[0] if array else None
    return tuple(out)


def _bytes_of(array: Any) -> tuple[bytes, tuple[int, ...]]:
    """Bytes 0 to 255 in order, and their shape. Floats within 0 to 1 are scaled, those within -1 to 1 moved first."""
    shape = shape_of(array)
    try:
        import numpy
    except ImportError:
        flat = _flattened(nested(array))
        if any(isinstance(one, float) for one in flat):
            low, high = min(flat), max(flat)
            if high <= 1.0 and low >= -1.0:
                flat = [(one + 1) * 127.5 if low < 0 else one * 255 for one in flat]
        return bytes(min(255, max(0, int(one))) for one in flat), shape
    for step in ("detach", "cpu"):
        if hasattr(array, step):
            array = getattr(array, step)()
    if "bfloat16" in str(getattr(array, "dtype", "")):
        array = array.float()
    values = numpy.asarray(array)
    if values.dtype == bool:
        values = values * 255
    elif values.dtype.kind == "f" and values.size:
        values = numpy.nan_to_num(values)
        low, high = float(values.min()), float(values.max())
        if high <= 1.0 and low >= -1.0:
            values = (values + 1) * 127.5 if low < 0 else values * 255
    return numpy.clip(values, 0, 255).astype(numpy.uint8).tobytes(), shape


def _flattened(rows: Any) -> list[Any]:
    if not isinstance(rows, (list, tuple)):
        return [rows]
    return [one for row in rows for one in _flattened(row)]


def _is_tensor(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def png_bytes(array: Any) -> bytes:
    """Of rows x columns [x channels], of a torch tensor channels x rows x columns. NotAPicture where it is neither."""
    shape = shape_of(array)
    if len(shape) == 3 and (_is_tensor(array) or (shape[0] in _COLOURS and shape[2] not in _COLOURS)):
        array = array.permute(1, 2, 0) if hasattr(array, "permute") else _channels_last(array)
    data, shape = _bytes_of(array)
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3 or shape[2] not in _COLOURS or 0 in shape:
        raise NotAPicture(f"an array of shape {shape} is no picture")
    import zlib

    rows, columns, channels = shape
    width = columns * channels
    lines = b"".join(b"\0" + data[at:at + width] for at in range(0, rows * width, width))
    header = struct.pack(">IIBBBBB", columns, rows, 8, _COLOURS[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join((_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines, 6)), _chunk(b"IEND", b"")))


def _channels_last(array: Any) -> Any:
    if hasattr(array, "transpose"):
        return array.transpose(1, 2, 0)
    return [[[plane[y][x] for plane in array] for x in range(len(array[0][0]))] for y in range(len(array[0]))]


def _chunk(kind: bytes, data: bytes) -> bytes:
    import zlib

    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def wav_bytes(samples: Any, rate: int) -> bytes:
    """16 bit, of samples or samples x channels; floats within -1 to 1."""
    rows = nested(samples)
    channels = len(rows[0]) if rows and isinstance(rows[0], (list, tuple)) else 1
    values = _flattened(rows)
    if any(isinstance(one, float) for one in values):
        values = [one * 32767 for one in values]
    whole = [min(32767, max(-32768, int(one))) if one == one else 0 for one in values]
    import wave

    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(int(rate))
        file.writeframes(struct.pack(f"<{len(whole)}h", *whole))
    return out.getvalue()


def gif_bytes(frames: Any, per_second: int) -> bytes:
    """Of time x channels x rows x columns, by Pillow; ImportError without it."""
    from PIL import Image

    shape = shape_of(frames)
    if len(shape) == 5:  # several in a row: the first
        frames, shape = frames[0], shape[1:]
    if len(shape) != 4:
        raise NotAPicture(f"an array of shape {shape} is no video")
    pictures = [Image.open(io.BytesIO(png_bytes(frames[at]))) for at in range(shape[0])]
    out = io.BytesIO()
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=max(1, 1000 // max(1, per_second)), loop=0)
    return out.getvalue()
