// The map of one section as plain SVG, with thousands of focusable seats, built in one pass.
import { drawing, neighbour, seatAt, seatsOf, type Plan, type Seat, type SectionInfo } from './layout.ts';

export interface MapTexts {
  // The accessible name of a seat with its state. Called for every seat, so it must be cheap.
  label: (seat: Seat, state: string) => string;
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
  const seats = seatsOf(plan, section);
  const wheelchair = new Set(plan.wheelchair);
  const escape = (text: string) => text.replace(/[&<"]/g, (c) => `&#${c.charCodeAt(0)};`);
  let focus = seats.find((seat) => letter(seat.number) === 'A')?.number ?? info.firstNumber;

  const stateOf = (number: number) => (chosen(number) ? 'mine' : letter(number));
  const disabled = (number: number) => letter(number) !== 'A' && !chosen(number);
  const classes = (number: number) => `seat ${stateOf(number)}${wheelchair.has(number) ? ' wheel' : ''}`;
  // Size and corners are in the style sheet, and only the focused seat is in the tab order: with thousands of seats every
  // attribute counts.
  let markup = `<path class="stage" d="M${width * 0.2} 26Q${width / 2} 6 ${width * 0.8} 26Z"/><text x="${width / 2}" y="38" class="hint">${escape(texts.stage)}</text>`;
  for (const seat of seats) {
    const n = seat.number;
    const { x, y } = at(n);
    markup += `<rect x="${Math.round(x - 9)}" y="${Math.round(y - 9 + top)}" class="${classes(n)}" data-n="${n}" role="checkbox" aria-checked="${chosen(n)}"${disabled(n) ? ' aria-disabled="true"' : ''} aria-label="${escape(texts.label(seat, stateOf(n)))}"/>`;
  }
  svg.setAttribute('viewBox', `0 0 ${width} ${height + top}`);
  svg.setAttribute('width', String(width));
  svg.innerHTML = markup;
  // The path and the text come before the first seat.
  const rectOf = (number: number) => svg.children[number - info.firstNumber + 2] as SVGRectElement | undefined;
  rectOf(focus)?.setAttribute('tabindex', '0');

  const numberOf = (event: Event) => Number((event.target as SVGElement).dataset?.['n'] ?? 0);
  const onclick = (event: Event) => {
    const number = numberOf(event);
    if (number === 0 || disabled(number)) return;
    move(number);
    toggle(number);
  };
  function move(number: number): void {
    rectOf(focus)?.removeAttribute('tabindex');
    focus = number;
    const rect = rectOf(number);
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
        const seat = seatAt(plan, number);
        const rect = rectOf(number);
        if (!seat || seat.section !== section || !rect) continue;
        rect.setAttribute('class', classes(number));
        rect.setAttribute('aria-checked', String(chosen(number)));
        rect.toggleAttribute('aria-disabled', false);
        if (disabled(number)) rect.setAttribute('aria-disabled', 'true');
        rect.setAttribute('aria-label', texts.label(seat, stateOf(number)));
      }
    },
    destroy() {
      svg.removeEventListener('click', onclick);
      svg.removeEventListener('keydown', onkeydown);
    },
  };
}
