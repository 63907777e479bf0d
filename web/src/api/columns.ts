// application/vnd.flatout.columns: series as columns of doubles. Everything is little endian:
// "FLCOLS1\0", u32 number of series; a series: u32 key length, key padded to a multiple of 8, u32 n,
// u32 flags (1 = raw: no extremes; 2 = with means), f64 x[n], (f64 min[n], f64 max[n]),
// (f64 mean[n]), f64 last[n].
import type { Series } from "./types";

const magic = "FLCOLS1\0";

class Reader {
  private at = 0;
  private readonly view: DataView;
  constructor(private readonly bytes: ArrayBuffer) {
    this.view = new DataView(bytes);
  }
  private take(length: number): number {
    const begin = this.at;
    if (length < 0 || begin + length > this.bytes.byteLength) throw new RangeError("columns end too early");
    this.at += length;
    return begin;
  }
  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  text(length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.bytes, this.take(length), length));
  }
  skip(length: number): void {
    this.take(length);
  }
  doubles(count: number): number[] {
    const begin = this.take(count * 8);
    return Array.from(new Float64Array(this.bytes.slice(begin, begin + count * 8))); // a copy, since it need not lie at a multiple of 8
  }
}

function finite(values: number[]): (number | null)[] {
  return values.map((value) => (Number.isFinite(value) ? value : null));
}

export function readColumns(bytes: ArrayBuffer): Series[] {
  const reader = new Reader(bytes);
  if (reader.text(magic.length) !== magic) throw new RangeError("not columns of flatout");
  const series: Series[] = [];
  const count = reader.u32();
  for (let i = 0; i < count; ++i) {
    const length = reader.u32();
    const key = reader.text(length);
    reader.skip((8 - (length % 8)) % 8);
    const n = reader.u32();
    const flags = reader.u32();
    const raw = (flags & 1) !== 0;
    const x = reader.doubles(n);
    const low = raw ? null : finite(reader.doubles(n));
    const high = raw ? null : finite(reader.doubles(n));
    const mean = (flags & 2) !== 0 ? finite(reader.doubles(n)) : null;
    const last = finite(reader.doubles(n));
    series.push({ key, x, low: low ?? last, high: high ?? last, mean: mean ?? last, last, raw });
  }
  return series;
}
