// The map of one section: plain SVG made in one go, thousands of seats, each a real element that can be focused.
import { drawing, neighbour, seatsOf, type Plan, type SectionInfo } from './layout.ts';

export interface MapTexts {
  label: (number: number) => string;
  stage: string;
}
export interface SeatMap {
  update: (numbers: Iterable<number>) => void;
  destroy: () => void;
}
export interface MapOptions {
  plan: Plan;
  section: number;
  letter: (number: number) => string;
  chosen: (number: number) => boolean;
  toggle: (number: number) => void;
  texts: MapTexts;
}

export function drawMap(svg: SVGSVGElement, { plan, section, letter, chosen, toggle, texts }: MapOptions): SeatMap {
  const info = plan.sections[section] as SectionInfo;
  const { width, height, at } = drawing(info);
  const top = 40;
  const wheelchair = new Set(plan.wheelchair);
  const escape = (text: string) => text.replace(/[&<"]/g, (c) => `&#${c.charCodeAt(0)};`);
  let focus = seatsOf(plan, section).find((seat) => letter(seat.number) === 'A')?.number ?? info.firstNumber;

  const classes = (number: number) => (chosen(number) ? 'seat mine' : `seat ${letter(number)}${wheelchair.has(number) ? ' wheel' : ''}`);
  const disabled = (number: number) => letter(number) !== 'A' && !chosen(number);
  const parts: string[] = [`<path class="stage" d="M${width * 0.2} 26Q${width / 2} 6 ${width * 0.8} 26Z"/><text x="${width / 2}" y="38" class="hint">${escape(texts.stage)}</text>`];
  for (const seat of seatsOf(plan, section)) {
    const { x, y } = at(seat.number);
    const n = seat.number;
    parts.push(
      `<rect x="${(x - 9).toFixed(1)}" y="${(y - 9 + top).toFixed(1)}" width="18" height="18" rx="5" class="${classes(n)}" data-n="${n}" role="checkbox" ` +
        `aria-checked="${chosen(n)}"${disabled(n) ? ' aria-disabled="true"' : ''} tabindex="${n === focus ? 0 : -1}" aria-label="${escape(texts.label(n))}"/>`,
    );
  }
  svg.setAttribute('viewBox', `0 0 ${width} ${height + top}`);
  svg.setAttribute('width', String(width));
  svg.innerHTML = parts.join('');
  const rects = new Map<number, SVGRectElement>();
  for (const rect of svg.querySelectorAll<SVGRectElement>('rect.seat')) rects.set(Number(rect.dataset['n']), rect);

  const numberOf = (event: Event) => Number((event.target as SVGElement).dataset?.['n'] ?? 0);
  const onclick = (event: Event) => {
    const number = numberOf(event);
    if (number === 0 || disabled(number)) return;
    move(number);
    toggle(number);
  };
  function move(number: number): void {
    rects.get(focus)?.setAttribute('tabindex', '-1');
    focus = number;
    const rect = rects.get(number);
    rect?.setAttribute('tabindex', '0');
    rect?.focus();
  }
  const onkeydown = (event: KeyboardEvent) => {
    const number = numberOf(event);
    if (number === 0) return;
    if (event.key === ' ' || event.key === 'Enter') {
      if (!disabled(number)) toggle(number);
    } else {
      const next = neighbour(plan, number, event.key);
      if (next === number) return;
      move(next);
    }
    event.preventDefault();
  };
  svg.addEventListener('click', onclick);
  svg.addEventListener('keydown', onkeydown);
  return {
    update(numbers) {
      for (const number of numbers) {
        const rect = rects.get(number);
        if (!rect) continue;
        rect.setAttribute('class', classes(number));
        rect.setAttribute('aria-checked', String(chosen(number)));
        rect.toggleAttribute('aria-disabled', false);
        if (disabled(number)) rect.setAttribute('aria-disabled', 'true');
        rect.setAttribute('aria-label', texts.label(number));
      }
    },
    destroy() {
      svg.removeEventListener('click', onclick);
      svg.removeEventListener('keydown', onkeydown);
    },
  };
}
