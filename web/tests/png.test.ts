import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decode, shrink } from '../e2e/png.ts';

// A PNG as browsers write it: three channels, a filter per row; checksums are ignored.
function picture(rows: [filter: number, ...bytes: number[]][]): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(data.length);
    return Buffer.concat([size, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE((rows[0]!.length - 1) / 3, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2], 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.from(rows.flat()))), chunk('IEND', Buffer.alloc(0))]);
}

it('every filter is undone', () => {
  const rows = [[0, 9, 9, 9, 10, 10, 10], [1, 1, 2, 3, 1, 1, 1], [2, 1, 0, 0, 0, 0, 1], [3, 1, 1, 1, 1, 1, 1], [4, 0, 0, 1, 1, 0, 0]] as [number, ...number[]][];
  const { width, height, colours } = decode(picture(rows));
  expect([width, height]).toEqual([2, 5]);
  const hex = [...colours].map((colour) => colour.toString(16).padStart(6, '0'));
  expect(hex).toEqual(['090909', '0a0a0a', '010203', '020304', '020203', '020305', '020202', '030304', '020203', '040304']);
});

it('image of many colours is reduced to 256, and its most frequent colour is exact', () => {
  const row = (y: number): [number, ...number[]] => [0, ...Array.from({ length: 40 }, (_, x) => (x < 20 ? [250, 246, 240] : [x * 6, y * 6, (x * y) % 256])).flat()];
  const small = shrink(picture(Array.from({ length: 40 }, (_, y) => row(y))));
  const palette = small.subarray(small.indexOf('PLTE') + 4, small.indexOf('IDAT') - 8);
  expect(palette.length).toBeLessThanOrEqual(256 * 3);
  expect([...Array(palette.length / 3).keys()].map((i) => palette.subarray(i * 3, i * 3 + 3).toString('hex'))).toContain('faf6f0');
  expect(small[small.indexOf('IHDR') + 13]).toBe(3);
});
