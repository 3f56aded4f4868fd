// The map of one section as plain SVG, with thousands of focusable seats, built in one pass.
import { drawing, neighbour, rowLabels, seatAt, seatsOf, type Plan, type Seat, type SectionInfo } from './layout.ts';

export interface MapTexts {
  // The accessible name of a seat with its state. Called for every seat, so it must be cheap.
  label: (seat: Seat, state: string) => string;
  stage: string;
  // The label of a drawn line; `part`: its seats, where a long row is folded.
  row: (row: number, part: string) => string;
}
export interface SeatMap {
  update: (numbers: Iterable<number>) => void;
  // Moves the focus to a free seat in the first row that has one.
  focus: () => void;
  destroy: () => void;
}
export interface MapOptions {
  plan: Plan;
  section: number;
  letter: (number: number) => string;
  chosen: (number: number) => boolean;
  toggle: (number: number) => void;
  // The seat under the pointer or with the focus; null: none.
  point: (number: number | null, seat: Element | null) => void;
  texts: MapTexts;
}

export function drawMap(svg: SVGSVGElement, { plan, section, letter, chosen, toggle, point, texts }: MapOptions): SeatMap {
  const info = plan.sections[section] as SectionInfo;
  const { width: seatsWidth, height, at } = drawing(info);
  const labels = rowLabels(info, texts.row);
  // Labels stand left of the seats.
  const margin = 14 + Math.max(...labels.map(({ text }) => text.length)) * 8;
  const width = seatsWidth + margin;
  const top = 40;
  const seats = seatsOf(plan, section);
  const wheelchair = new Set(plan.wheelchair);
  const escape = (text: string) => text.replace(/[&<"]/g, (c) => `&#${c.charCodeAt(0)};`);
  // The first row with a free seat, in its middle: a wide section is scrolled there.
  const free = seats.filter((seat) => letter(seat.number) === 'A');
  const fromMiddle = ({ number }: Seat) => Math.abs(at(number).x - seatsWidth / 2);
  const middle = free.filter((seat) => seat.row === free[0]?.row).reduce<Seat | null>((best, seat) => (best && fromMiddle(best) <= fromMiddle(seat) ? best : seat), null);
  let focus = middle?.number ?? info.firstNumber;

  const stateOf = (number: number) => (chosen(number) ? 'mine' : letter(number));
  const disabled = (number: number) => letter(number) !== 'A' && !chosen(number);
  const classes = (number: number) => `seat ${stateOf(number)}${wheelchair.has(number) ? ' wheel' : ''}`;
  // Size and corners are in the style sheet, and only the focused seat is in the tab order: with thousands of seats every
  // attribute counts.
  let markup = `<path class="stage" d="M${width * 0.2} 26Q${width / 2} 6 ${width * 0.8} 26Z"/><text x="${width / 2}" y="38" class="hint">${escape(texts.stage)}</text>`;
  for (const seat of seats) {
    const n = seat.number;
    const { x, y } = at(n);
    markup += `<rect x="${Math.round(x - 9 + margin)}" y="${Math.round(y - 9 + top)}" class="${classes(n)}" data-n="${n}" role="checkbox" aria-checked="${chosen(n)}"${disabled(n) ? ' aria-disabled="true"' : ''} aria-label="${escape(texts.label(seat, stateOf(n)))}"/>`;
  }
  for (const { text, number } of labels) {
    const { x, y } = at(number);
    markup += `<text x="${Math.round(x + margin - 16)}" y="${Math.round(y + top)}" class="rowname" aria-hidden="true">${escape(text)}</text>`;
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
  // Where the pointer is on no seat, the seat with the focus counts.
  const onpoint = (event: Event) => {
    const [pointed, active] = [numberOf(event), document.activeElement];
    if (pointed) point(pointed, event.target as Element);
    else if (active && svg.contains(active)) point(focus, active);
    else point(null, null);
  };
  const onleave = () => point(null, null);
  svg.addEventListener('pointerover', onpoint);
  svg.addEventListener('focusin', onpoint);
  svg.addEventListener('focusout', onleave);
  svg.addEventListener('pointerleave', onpoint);
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
    focus() {
      rectOf(focus)?.focus({ preventScroll: true });
    },
    destroy() {
      svg.removeEventListener('pointerover', onpoint);
      svg.removeEventListener('focusin', onpoint);
      svg.removeEventListener('focusout', onleave);
      svg.removeEventListener('pointerleave', onpoint);
      svg.removeEventListener('click', onclick);
      svg.removeEventListener('keydown', onkeydown);
    },
  };
}
