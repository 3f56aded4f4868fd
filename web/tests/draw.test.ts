import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { covers, permutation, positionOf, verify, type Draw } from '../src/lib/draw.ts';
import { fromHex, hex, sha256 } from '../src/lib/sha256.ts';

const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
// From an independent implementation in Python.
const draw: Draw = {
  commitment: '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd',
  firstNumber: 5,
  count: 1000,
  seed: hex(seed),
  orderSha256: '50d691a552a4cf871110ba1f6abdb796d920e806e34c935f6e7d934d584fc5a1',
};
const published = { algorithm: 'maejin-shuffle-1', shuffles: [draw] };

describe('a published draw', () => {
  it('SHA-256 equals the platform’s for every length around a block', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) & 255);
      expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });
  it('positions equal those of another implementation', () => {
    expect([0, 1, 2, 3, 4, 5].map(permutation(seed, 41))).toEqual([13, 37, 32, 17, 36, 10]);
    expect([0, 1, 2, 3, 4, 5].map(permutation(seed, 1000))).toEqual([496, 638, 462, 453, 703, 198]);
    expect(positionOf(draw, 6)).toBe(639);
    expect(hex(fromHex('00ff10'))).toBe('00ff10');
  });
  it('has a position for every number of its pre-queue only', () => {
    expect([4, 5, 1004, 1005].map((number) => covers(draw, number))).toEqual([false, true, true, false]);
    expect(covers({ commitment: '', firstNumber: 1 }, 1)).toBe(false);
  });
  it('is fair as published, and every change is found', async () => {
    const turned = (text: string) => (text.startsWith('0') ? '1' : '0') + text.slice(1);
    expect(await verify(published, draw)).toBe('fair');
    expect(await verify(published, { ...draw, seed: turned(draw.seed!) })).toBe('wrongCommitment');
    expect(await verify(published, { ...draw, orderSha256: turned(draw.orderSha256!) })).toBe('wrongOrder');
    expect(await verify(published, { ...draw, count: 999 })).toBe('wrongOrder');
    expect(await verify({ ...published, algorithm: 'other' }, draw)).toBe('unknownAlgorithm');
    expect(await verify(published, { commitment: draw.commitment, firstNumber: 1 })).toBe('notDrawn');
  });
});
