// Numbers that look drawn and are the same each time.
export function random(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export const hash = (text) => [...text].reduce((sum, sign) => (Math.imul(sum, 31) + sign.charCodeAt(0)) | 0, 7);

// Noise by place: the same x gives the same value at every resolution.
export const noise = (seed, x) => random(seed ^ Math.imul(Math.round(x), 2654435761))() * 2 - 1;
