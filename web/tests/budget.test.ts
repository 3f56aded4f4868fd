import { expect, it } from 'vitest';
import { overBudget } from '../tools/budget.ts';
import type { WebFile } from '../tools/cpp.ts';
import { cppSource } from '../tools/cpp.ts';

const file = (bytes: number): WebFile => ({ name: 'x', language: 'en', type: '', etag: '', plain: Buffer.alloc(0), gzip: Buffer.alloc(bytes), brotli: Buffer.alloc(0) });

it('page over its budget fails the build', () => {
  expect(overBudget('event', 'en', file(9_000), [file(3_000)])).toEqual([]);
  expect(overBudget('event', 'en', file(9_000), [file(3_001)])).toHaveLength(1);
  expect(overBudget('nowhere', 'en', file(1), [])).toHaveLength(1);
});

it('bytes survive the conversion to C++ literals', () => {
  const source = cppSource([{ ...file(0), plain: Buffer.from([0, 34, 92, 63, 63, 47, 255, 49]) }]);
  expect(source).toContain(String.raw`{"\000\042\134\077\077/\3771", 8}`);
});
