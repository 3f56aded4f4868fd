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
