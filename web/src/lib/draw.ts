// Recomputes a published draw of a pre-queue, as `maejin verify-shuffle` does: a Feistel permutation keyed by the seed.
import { fromHex, hex, sha256 } from './sha256.ts';

export const algorithm = 'maejin-shuffle-1';
// A row of GET /api/v1/rooms/{room}/shuffle. Before the opening it has the commitment only.
export interface Draw {
  commitment: string;
  firstNumber: number;
  count?: number;
  seed?: string;
  orderSha256?: string;
}
export interface Published {
  algorithm: string;
  shuffles: Draw[];
}
export type Verdict = 'fair' | 'notDrawn' | 'unknownAlgorithm' | 'wrongCommitment' | 'wrongOrder';

export const covers = (draw: Draw, number: number): boolean => draw.seed !== undefined && number >= draw.firstNumber && number < draw.firstNumber + (draw.count ?? 0);

// SipHash-2-4 of five bytes: the round's number and half of the value. Words of 64 bits are pairs of halves, low first. Only
// the low 32 bits of the result are needed.
function sipHash(key: Uint32Array, round: number, half: number): number {
  let [a0, a1, b0, b1, c0, c1, d0, d1] = [key[0]! ^ 0x70736575, key[1]! ^ 0x736f6d65, key[2]! ^ 0x6e646f6d, key[3]! ^ 0x646f7261, key[0]! ^ 0x6e657261, key[1]! ^ 0x6c796765, key[2]! ^ 0x79746573, key[3]! ^ 0x74656462];
  const mix = () => {
    let sum = (a0 >>> 0) + (b0 >>> 0);
    a1 = (a1 + b1 + (sum > 0xffffffff ? 1 : 0)) | 0;
    a0 = sum | 0;
    [b0, b1] = [((b0 << 13) | (b1 >>> 19)) ^ a0, ((b1 << 13) | (b0 >>> 19)) ^ a1];
    [a0, a1] = [a1, a0];
    sum = (c0 >>> 0) + (d0 >>> 0);
    c1 = (c1 + d1 + (sum > 0xffffffff ? 1 : 0)) | 0;
    c0 = sum | 0;
    [d0, d1] = [((d0 << 16) | (d1 >>> 16)) ^ c0, ((d1 << 16) | (d0 >>> 16)) ^ c1];
    sum = (a0 >>> 0) + (d0 >>> 0);
    a1 = (a1 + d1 + (sum > 0xffffffff ? 1 : 0)) | 0;
    a0 = sum | 0;
    [d0, d1] = [((d0 << 21) | (d1 >>> 11)) ^ a0, ((d1 << 21) | (d0 >>> 11)) ^ a1];
    sum = (c0 >>> 0) + (b0 >>> 0);
    c1 = (c1 + b1 + (sum > 0xffffffff ? 1 : 0)) | 0;
    c0 = sum | 0;
    [b0, b1] = [((b0 << 17) | (b1 >>> 15)) ^ c0, ((b1 << 17) | (b0 >>> 15)) ^ c1];
    [c0, c1] = [c1, c0];
  };
  const [low, high] = [round | (half << 8), (half >>> 24) | (5 << 24)];
  d0 ^= low;
  d1 ^= high;
  mix();
  mix();
  a0 ^= low;
  a1 ^= high;
  c0 ^= 0xff;
  for (let i = 0; i < 4; i++) mix();
  return a0 ^ b0 ^ c0 ^ d0;
}

// The position, from 0, of the nth arrival, from 0.
export function permutation(seed: Uint8Array, count: number): (arrival: number) => number {
  const name = new TextEncoder().encode(algorithm);
  const input = new Uint8Array(name.length + seed.length);
  input.set(name);
  input.set(seed, name.length);
  const view = new DataView(sha256(input).buffer);
  const key = Uint32Array.from([0, 4, 8, 12], (at) => view.getUint32(at, true));
  const bits = count < 2 ? 2 : 32 - Math.clz32(count - 1);
  const halfBits = (bits + 1) >> 1;
  const mask = 2 ** halfBits - 1;
  const forward = (value: number) => {
    let [left, right] = [Math.floor(value / (mask + 1)), value % (mask + 1)];
    for (let round = 0; round < 8; round++) [left, right] = [right, (left ^ (sipHash(key, round, right) & mask)) >>> 0];
    return left * (mask + 1) + right;
  };
  return (arrival) => {
    let value = forward(arrival);
    while (value >= count) value = forward(value);
    return value;
  };
}

// The drawn position of a number, from 1.
export const positionOf = (draw: Draw, number: number): number => permutation(fromHex(draw.seed ?? ''), draw.count ?? 0)(number - draw.firstNumber) + 1;

// Recomputes the whole order, with pauses, so that the page stays responsive.
export async function verify(published: Published, draw: Draw, onprogress: (part: number) => void = () => {}): Promise<Verdict> {
  if (published.algorithm !== algorithm) return 'unknownAlgorithm';
  if (!draw.seed) return 'notDrawn';
  const seed = fromHex(draw.seed);
  if (hex(sha256(seed)) !== draw.commitment) return 'wrongCommitment';
  const count = draw.count ?? 0;
  const position = permutation(seed, count);
  const positions = new DataView(new ArrayBuffer(count * 4));
  for (let i = 0; i < count; i++) {
    positions.setUint32(i * 4, position(i), true);
    if (i % 10_000 !== 9999) continue;
    onprogress(i / count);
    await new Promise((done) => setTimeout(done));
  }
  return hex(sha256(new Uint8Array(positions.buffer))) === draw.orderSha256 ? 'fair' : 'wrongOrder';
}
