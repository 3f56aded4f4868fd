// Posters: the browser makes the widths, because the server decodes no picture.
import { language } from '../lib/text.ts';

// Phones, large phones, desktops.
const widths = [320, 640, 1280];
const [mostBytes, mostPixels] = [5 * 1024 * 1024, 2560];

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

// Uploads a poster and its narrower copies. Resolves to an empty text, or to the reason of a refusal. Rejects where the file is
// no picture.
export async function upload(concert: number, file: Blob): Promise<string> {
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
