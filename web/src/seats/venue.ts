// The venue: sections as the plan draws them, or rings around the stage, the first of the plan nearest to it. Pure functions.
export interface Block {
  path: string;
  // The middle, for the label, and the room that it has.
  x: number;
  y: number;
  width: number;
}
export interface Venue {
  width: number;
  height: number;
  blocks: Block[];
  // Blocks of each ring, inner first, for the arrow keys. Empty where the plan draws the sections.
  rings: number[][];
}

const [innermost, thickness, gap] = [110, 62, 8];
// Half the angle that the rings span, from the line between stage and back.
const half = (78 * Math.PI) / 180;

// Sections of each ring: outer rings are longer. 48 sections are 6 + 10 + 14 + 18.
export function ringsOf(count: number): number[] {
  const room = (ring: number) => 6 + 4 * ring;
  let rings = 1;
  for (let all = room(0); all < count; all += room(rings++));
  const total = Array.from({ length: rings }, (_, ring) => room(ring)).reduce((sum, n) => sum + n, 0);
  const sizes: number[] = [];
  let left = count;
  for (let ring = 0; ring < rings; ring++) {
    const rest = rings - ring - 1;
    const size = rest === 0 ? left : Math.min(left - rest, Math.max(1, Math.round((room(ring) * count) / total)));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

export function venueOf(count: number): Venue {
  const sizes = ringsOf(count);
  const outer = innermost + sizes.length * (thickness + gap);
  const [middle, top] = [outer * Math.sin(half) + 10, 46];
  const at = (radius: number, angle: number) => `${(middle + radius * Math.sin(angle)).toFixed(1)} ${(top + radius * Math.cos(angle)).toFixed(1)}`;
  const blocks: Block[] = [];
  const rings: number[][] = [];
  sizes.forEach((size, ring) => {
    const [from, to] = [innermost + ring * (thickness + gap), innermost + ring * (thickness + gap) + thickness];
    const step = (2 * half) / size;
    rings.push([]);
    for (let i = 0; i < size; i++) {
      const space = gap / 2 / ((from + to) / 2);
      // From left to right, as a visitor that faces the stage at the top sees it.
      const [a, b] = [-half + i * step + space, -half + (i + 1) * step - space];
      const radius = (from + to) / 2;
      rings[ring]?.push(blocks.length);
      blocks.push({
        path: `M${at(from, a)}A${from} ${from} 0 0 0 ${at(from, b)}L${at(to, b)}A${to} ${to} 0 0 1 ${at(to, a)}Z`,
        x: middle + radius * Math.sin((a + b) / 2),
        y: top + radius * Math.cos((a + b) / 2),
        width: Math.min(radius * (b - a), 140),
      });
    }
  });
  return { width: 2 * middle, height: top + outer + 6, blocks, rings };
}

// The middle of a polygon's area; of one without area the mean of its corners.
function middleOf(points: [number, number][]): [number, number] {
  let [area, x, y] = [0, 0, 0];
  points.forEach(([x1, y1], i) => {
    const [x2, y2] = points[(i + 1) % points.length]!;
    const part = x1 * y2 - x2 * y1;
    area += part;
    x += (x1 + x2) * part;
    y += (y1 + y2) * part;
  });
  if (area !== 0) return [x / (3 * area), y / (3 * area)];
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  return [mean(0), mean(1)];
}

// The venue as its plan draws it, scaled to the width of the map. The stage is above it.
export function drawnVenue(shapes: number[][]): Venue {
  const pairs = shapes.map((shape) => Array.from({ length: shape.length / 2 }, (_, i): [number, number] => [shape[2 * i]!, shape[2 * i + 1]!]));
  const [xs, ys] = [pairs.flat().map(([x]) => x), pairs.flat().map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, edge, stage] = [640, 10, 56];
  const scale = (width - 2 * edge) / Math.max(1, Math.max(...xs) - left, (Math.max(...ys) - top) * 0.8);
  const shift = (width - (Math.max(...xs) - left) * scale) / 2;
  const blocks = pairs.map((points) => {
    const at = points.map(([x, y]): [number, number] => [shift + (x - left) * scale, stage + (y - top) * scale]);
    const [x, y] = middleOf(at);
    const wide = at.map(([each]) => each);
    return { path: `M${at.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join('L')}Z`, x, y, width: Math.min(140, Math.max(...wide) - Math.min(...wide)) };
  });
  return { width, height: stage + (Math.max(...ys) - top) * scale + edge, blocks, rings: [] };
}

// The nearest section in a direction; one far aside counts as farther.
function towards(blocks: Block[], index: number, right: number, down: number): number {
  const from = blocks[index]!;
  let [best, cost] = [index, Infinity];
  blocks.forEach(({ x, y }, i) => {
    const along = (x - from.x) * right + (y - from.y) * down;
    const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
    if (i !== index && along > 1 && along + 2 * aside < cost) [best, cost] = [i, along + 2 * aside];
  });
  return best;
}

// The next section in a direction, for the arrow keys.
export function nextBlock({ blocks, rings }: Venue, index: number, key: string): number {
  if (key === 'Home') return 0;
  if (key === 'End') return blocks.length - 1;
  if (rings.length === 0) {
    const [right, down] = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as Record<string, [number, number]>)[key] ?? [0, 0];
    return towards(blocks, index, right, down);
  }
  const ring = rings.findIndex((each) => each.includes(index));
  const place = rings[ring]?.indexOf(index) ?? 0;
  const nearest = (other: number[] | undefined) =>
    other?.reduce((best, each) => (Math.abs(blocks[each]!.x - blocks[index]!.x) < Math.abs(blocks[best]!.x - blocks[index]!.x) ? each : best)) ?? index;
  if (key === 'ArrowLeft') return rings[ring]?.[place - 1] ?? index;
  if (key === 'ArrowRight') return rings[ring]?.[place + 1] ?? index;
  if (key === 'ArrowUp') return nearest(rings[ring - 1]);
  if (key === 'ArrowDown') return nearest(rings[ring + 1]);
  return index;
}
