import { describe, expect, it } from 'vitest';
import { nextBlock, ringsOf, venueOf } from '../src/seats/venue.ts';

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
