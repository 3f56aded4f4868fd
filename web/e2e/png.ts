// Reduces a screenshot to at most 256 colours with maximum zlib compression. The most frequent colours stay exact, so that plain
// areas do not change.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

interface Picture {
  width: number;
  height: number;
  colours: Uint32Array; // 0xRRGGBB, row by row
}
type Counted = [colour: number, count: number];

function chunks(png: Buffer): { type: string; data: Buffer }[] {
  const found = [];
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    found.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + size) });
    at += 12 + size;
  }
  return found;
}

const paeth = (a: number, b: number, c: number): number => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};
const filters = [() => 0, (a: number) => a, (_: number, b: number) => b, (a: number, b: number) => (a + b) >> 1, paeth];

// Eight bits per channel, not interlaced, as browsers write.
export function decode(png: Buffer): Picture {
  const parts = chunks(png);
  const header = parts.find((part) => part.type === 'IHDR')!.data;
  const [width, height, channels] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(parts.filter((part) => part.type === 'IDAT').map((part) => part.data)));
  const stride = width * channels;
  const colours = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const predict = filters[raw[start]!]!;
    const line = Uint8Array.from(raw.subarray(start + 1, start + 1 + stride));
    for (let x = 0; x < stride; x++) {
      const before = x >= channels ? x - channels : -1;
      line[x]! += predict(line[before] ?? 0, above[x]!, above[before] ?? 0);
    }
    for (let x = 0; x < width; x++) colours[y * width + x] = (line[x * channels]! << 16) | (line[x * channels + 1]! << 8) | line[x * channels + 2]!;
    above = line;
  }
  return { width, height, colours };
}

// Median cut: splits the box with the largest spread and count until there are enough; spread weighs more.
function boxesOf(counted: Counted[], most: number): Counted[][] {
  const measure = (box: Counted[]) => {
    const ranges = [16, 8, 0].map((shift) => {
      const values = box.map(([colour]) => (colour >> shift) & 255);
      return { shift, range: Math.max(...values) - Math.min(...values) };
    });
    const { shift, range } = ranges.reduce((a, b) => (b.range > a.range ? b : a));
    return { box, shift, weight: range * Math.cbrt(box.reduce((sum, [, count]) => sum + count, 0)) };
  };
  const boxes = [measure(counted)];
  while (boxes.length < most) {
    const widest = boxes.reduce((a, b) => (b.weight > a.weight ? b : a));
    if (widest.weight === 0) break;
    const sorted = [...widest.box].sort(([a], [b]) => ((a >> widest.shift) & 255) - ((b >> widest.shift) & 255));
    const at = sorted.length >> 1;
    boxes.splice(boxes.indexOf(widest), 1, measure(sorted.slice(0, at)), measure(sorted.slice(at)));
  }
  return boxes.map(({ box }) => box);
}

// The colour of a box: its majority colour, else the mean.
function colourOf(box: Counted[]): number {
  const total = box.reduce((sum, [, count]) => sum + count, 0);
  const [colour, count] = box.reduce((a, b) => (b[1] > a[1] ? b : a));
  if (count * 2 > total) return colour;
  const mean = (shift: number) => Math.round(box.reduce((sum, [each, n]) => sum + ((each >> shift) & 255) * n, 0) / total) << shift;
  return mean(16) | mean(8) | mean(0);
}

function chunk(type: string, data: Buffer): Buffer {
  const [body, frame] = [Buffer.concat([Buffer.from(type, 'latin1'), data]), Buffer.alloc(8)];
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function shrink(png: Buffer): Buffer {
  const { width, height, colours } = decode(png);
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const index = new Map<number, number>();
  const palette = boxesOf([...counts], 256).map((box, i) => {
    for (const [colour] of box) index.set(colour, i);
    return colourOf(box);
  });
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(colours[y * width + x]!)!;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const plte = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [chunk('IHDR', header), chunk('PLTE', plte), chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([png.subarray(0, 8), ...parts]);
}
