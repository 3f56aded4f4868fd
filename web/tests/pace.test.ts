import { expect, it } from 'vitest';
import type { Answer } from '../client/http.ts';
import { EnterPace } from '../client/pace.ts';

let clock = 0;
const paced = (random = 0) => new EnterPace(() => clock, () => random);
function calls(answer: Answer<unknown> | null): { count: number; call: () => Promise<Answer<unknown> | null> } {
  const made = { count: 0, call: () => Promise.resolve((made.count++, answer)) };
  return made;
}
const refusal = (status: number, retryAfterMs = 0): Answer<unknown> => ({ status, retryAfterMs, problem: { code: 'x', status } });

it('lost call is made again after three seconds and up to 30 % more', async () => {
  const made = calls(null);
  const pace = paced(1);
  await pace.run(made.call);
  clock += 3899;
  await pace.run(made.call);
  expect(made.count).toBe(1);
  clock += 2;
  await pace.run(made.call);
  expect(made.count).toBe(2);
});

it('overloaded server is asked again after its Retry-After', async () => {
  for (const status of [429, 503]) {
    const made = calls(refusal(status, 8000));
    const pace = paced();
    await pace.run(made.call);
    clock += 7999;
    await pace.run(made.call);
    expect(made.count).toBe(1);
    clock += 1;
    await pace.run(made.call);
    expect(made.count).toBe(2);
  }
});

it('refused call is made again by the visitor or for a new place only', async () => {
  const made = calls(refusal(400));
  const pace = paced();
  await pace.run(made.call);
  clock += 3_600_000;
  expect(await pace.run(made.call)).toBeUndefined();
  await pace.run(made.call, true);
  expect(made.count).toBe(2);
  pace.reset();
  await pace.run(made.call);
  expect(made.count).toBe(3);
});

it('call in flight is not doubled, also by the visitor', async () => {
  let done: (answer: null) => void = () => undefined;
  let count = 0;
  const pace = paced();
  const call = () => (count++, new Promise<null>((resolve) => (done = resolve)));
  const first = pace.run(call);
  expect(await pace.run(call, true)).toBeUndefined();
  done(null);
  await first;
  expect(count).toBe(1);
});
