// An effect whose work reads and writes the same state, with run counts of both.
export function counting(every: (ms: number, work: () => unknown) => () => void) {
  let state = $state(0);
  let [effects, calls] = [0, 0];
  const destroy = $effect.root(() => {
    $effect(() => {
      effects++;
      return every(100_000, () => {
        calls++;
        state = state + 1;
      });
    });
  });
  return { effects: () => effects, calls: () => calls, destroy };
}
