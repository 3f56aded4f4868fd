// Posters and logos: the browser makes the sizes, because the server decodes no picture.
import { language } from '../lib/text.ts';

// Phones, large phones, desktops.
const widths = [320, 640, 1280];
const [mostBytes, mostPixels] = [5 * 1024 * 1024, 2560];
// Pages show a logo 32 pixels high and at most 128 wide.
const [logoBytes, logoHeight, logoWidth] = [256 * 1024, 128, 512];

// WebP where the browser writes it, otherwise JPEG.
async function scaled(picture: ImageBitmap, width: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, Math.max(1, Math.round((picture.height * width) / picture.width))];
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/webp', 0.85));
}

// An empty text, or why the server refused.
async function send(address: string, body: Blob, headers: Record<string, string>): Promise<{ why: string; version: string }> {
  const answer = await fetch(address, { method: 'PUT', body, headers: { 'Accept-Language': language, ...headers } });
  const problem = answer.ok ? null : ((await answer.json().catch(() => null)) as { detail?: string } | null);
  return { why: answer.ok ? '' : (problem?.detail ?? String(answer.status)), version: answer.headers.get('ETag') ?? '' };
}

// Resolves to an empty text, or to the reason of a refusal. Rejects where the file is no picture.
export function upload(concert: number, kind: 'poster' | 'logo', file: Blob): Promise<string> {
  return kind === 'poster' ? uploadPoster(concert, file) : uploadLogo(concert, file);
}

async function uploadLogo(concert: number, file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const factor = Math.min(1, logoHeight / picture.height, logoWidth / picture.width);
  const own = factor === 1 && file.size <= logoBytes ? file : await scaled(picture, Math.max(1, Math.round(picture.width * factor)));
  return (await send(`/api/v1/concerts/${concert}/logo`, own, {})).why;
}

// With narrower copies.
async function uploadPoster(concert: number, file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const small = file.size <= mostBytes && Math.max(picture.width, picture.height) <= mostPixels;
  const factor = Math.min(1, mostPixels / Math.max(picture.width, picture.height));
  const own = small ? file : await scaled(picture, Math.round(picture.width * factor));
  const whole = small ? picture.width : Math.round(picture.width * factor);
  const address = `/api/v1/concerts/${concert}/poster`;
  const { why, version } = await send(address, own, {});
  if (why) return why;
  for (const width of widths.filter((each) => each < whole)) {
    const copy = await send(`${address}?width=${width}`, await scaled(picture, width), { 'If-Match': version });
    if (copy.why) return copy.why;
  }
  return '';
}
