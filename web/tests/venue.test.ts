import { describe, expect, it } from 'vitest';
import { drawnVenue, nextBlock, ringsOf, venueOf } from '../src/seats/venue.ts';

describe('a venue without drawn sections', () => {
  it('has every section in one ring, outer rings longer', () => {
    expect(ringsOf(48)).toEqual([6, 10, 14, 18]);
    for (let count = 1; count <= 120; count++) {
      const sizes = ringsOf(count);
      expect(sizes.reduce((sum, n) => sum + n, 0)).toBe(count);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(venueOf(count).blocks).toHaveLength(count);
    }
  });
  it('fits into its picture', () => {
    const { width, height, blocks } = venueOf(48);
    for (const { x, y } of blocks) expect(x > 0 && x < width && y > 0 && y < height).toBe(true);
  });
  it('is walked with the arrow keys', () => {
    const venue = venueOf(48);
    expect(nextBlock(venue, 0, 'ArrowRight')).toBe(1);
    expect(nextBlock(venue, 0, 'ArrowLeft')).toBe(0);
    expect(nextBlock(venue, 5, 'ArrowRight')).toBe(5);
    expect(nextBlock(venue, nextBlock(venue, 3, 'ArrowDown'), 'ArrowUp')).toBe(3);
    expect(nextBlock(venue, 3, 'x')).toBe(3);
    expect([nextBlock(venue, 3, 'Home'), nextBlock(venue, 3, 'End')]).toEqual([0, 47]);
  });
});

describe('a venue that its plan draws', () => {
  // Two sections beside each other at the stage, and one behind both.
  const venue = drawnVenue([
    [0, 0, 400, 0, 400, 300, 0, 300],
    [500, 0, 900, 0, 900, 300, 500, 300],
    [0, 400, 900, 400, 900, 700, 0, 700],
  ]);
  it('keeps the places of its sections and has room for the stage', () => {
    const [a, b, c] = venue.blocks;
    expect(a!.y).toBeCloseTo(b!.y);
    expect(a!.x).toBeLessThan(c!.x);
    expect(c!.x).toBeCloseTo(venue.width / 2);
    for (const { x, y } of venue.blocks) expect(x > 0 && x < venue.width && y > 56 && y < venue.height).toBe(true);
    expect(a!.path).toMatch(/^M10\.0 56\.0L.*Z$/);
  });
  it('is walked in the direction of the key', () => {
    expect(nextBlock(venue, 0, 'ArrowRight')).toBe(1);
    expect(nextBlock(venue, 1, 'ArrowDown')).toBe(2);
    expect([nextBlock(venue, 2, 'ArrowDown'), nextBlock(venue, 0, 'ArrowLeft'), nextBlock(venue, 0, 'x')]).toEqual([2, 0, 0]);
  });
  it('labels a section in the middle of its area, also one without area', () => {
    const [bent, line] = drawnVenue([[0, 0, 90, 0, 0, 90], [0, 0, 50, 0, 100, 0]]).blocks;
    expect(bent!.x).toBeLessThan(line!.x);
    expect(Number.isFinite(line!.y)).toBe(true);
  });
});
