// A concert's poster: the operator's, or one drawn from the concert's number, the same everywhere.
import type { Concert } from './contract.ts';

function generator(seed: number): () => number {
  let state = (Math.imul(seed >>> 0, 2654435761) ^ Math.imul(Math.floor(seed / 4294967296), 40503) ^ 12345) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
  };
}

const palettes = [
  ['#314', '#e43', '#fb5'],
  ['#135', '#278', '#fca'],
  ['#412', '#c24', '#fba'],
  ['#124', '#55a', '#fac'],
  ['#132', '#496', '#fea'],
  ['#421', '#d72', '#feb'],
];

export function poster(id: number): string {
  const random = generator(id);
  const [night, mid, glow] = palettes[Math.floor(random() * palettes.length)] as [string, string, string];
  const beams = Array.from({ length: 5 }, () => {
    const [x, spread] = [random() * 320, 20 + random() * 60];
    return `<path d="M${x.toFixed()} 0L${(x - spread + (random() - 0.5) * 160).toFixed()} 200h${(spread * 2).toFixed()}Z" fill="${glow}" opacity="${(0.08 + random() * 0.14).toFixed(2)}"/>`;
  }).join('');
  const [cx, cy, r] = [60 + random() * 200, 60 + random() * 60, 34 + random() * 36];
  const crowd = Array.from({ length: 26 }, (_, i) => {
    const [x, y, head] = [i * 13 + random() * 8 - 8, 178 + random() * 12, 7 + random() * 4];
    return `<circle cx="${x.toFixed()}" cy="${y.toFixed()}" r="${head.toFixed(1)}"/>`;
  }).join('');
  return (
    `<svg viewBox="0 0 320 200" preserveAspectRatio="xMidYMax slice" aria-hidden="true"><defs><linearGradient id="p${id}" x2="0" y2="1"><stop stop-color="${night}"/>` +
    `<stop offset="1" stop-color="${mid}"/></linearGradient></defs><rect width="320" height="200" fill="url(#p${id})"/>` +
    `<circle cx="${cx.toFixed()}" cy="${cy.toFixed()}" r="${r.toFixed()}" fill="${glow}" opacity=".85"/>${beams}<g fill="${night}">${crowd}<path d="M0 186h320v14H0z"/></g></svg>`
  );
}

// The title stands beside it, so its text alternative is empty. `sizes`: how wide the page shows it.
export function art({ id, poster: own }: Pick<Concert, 'id' | 'poster'>, sizes: string): string {
  if (!own) return poster(id);
  const sources = own.widths.map((width) => `${own.url}&amp;width=${width} ${width}w`).join(', ');
  return `<img src="${own.url}" srcset="${sources}" sizes="${sizes}" width="${own.width}" height="${own.height}" alt="" loading="lazy">`;
}
