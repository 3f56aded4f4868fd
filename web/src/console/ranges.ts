// Seat numbers as an operator writes them: "1-20, 35".
export function numbersOf(text: string, last: number): number[] {
  const numbers = text.split(',').flatMap((part) => {
    const [from, to] = part.split('-').map((each) => Number.parseInt(each, 10));
    if (!from || from < 1) return [];
    return Array.from({ length: Math.max(1, Math.min(last, to || from) - from + 1) }, (_, i) => from + i);
  });
  return [...new Set(numbers)].filter((number) => number <= last).sort((a, b) => a - b);
}

export function rangesOf(numbers: Iterable<number>): string {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

// The next number of − and +: small steps for small numbers.
export function stepFrom(value: number, direction: 1 | -1): number {
  const sizes: [number, number][] = [[20, 1], [200, 10], [1000, 50], [10_000, 100], [Infinity, 1000]];
  const at = direction === 1 ? value : value - 1;
  const size = (sizes.find(([below]) => at < below) as [number, number])[1];
  return direction === 1 ? (Math.floor(value / size) + 1) * size : (Math.ceil(value / size) - 1) * size;
}

// How far a slider reaches: well beyond the numbers of the room, as a round number.
export function reachOf(least: number, ...numbers: (number | null | undefined)[]): number {
  const wanted = Math.max(least, ...numbers.map((n) => (n ?? 0) * 2));
  const unit = 10 ** Math.floor(Math.log10(wanted));
  return Math.ceil(wanted / unit) * unit;
}
