// The rank of a sell-out as a picture of 1200 × 630 points, drawn in the browser.
import { poster } from '../lib/poster.ts';

export interface Card {
  seed: number;
  rank: string;
  title: string;
  place: string;
  time: string;
  label: string;
}
const [width, height] = [1200, 630];

function picture(seed: number): Promise<HTMLImageElement> {
  const svg = poster(seed).replace('<svg ', `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return image.decode().then(() => image);
}

export async function cardOf(card: Card): Promise<Blob> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  pen.drawImage(await picture(card.seed), 0, 0, width, height);
  pen.fillStyle = 'rgb(15 10 20 / 0.66)';
  pen.fillRect(0, 0, width, height);
  const family = getComputedStyle(document.body).fontFamily;
  // Long titles get smaller, then they are cut.
  const write = (text: string, y: number, size: number, colour: string) => {
    pen.fillStyle = colour;
    for (let points = size; ; points -= 4) {
      pen.font = `800 ${points}px ${family}`;
      if (points <= size / 2 || pen.measureText(text).width <= width - 160) break;
    }
    pen.fillText(text, 80, y, width - 160);
  };
  write('매진 maejin', 100, 36, '#ffb3a7');
  write(card.label, 160, 32, '#e8dff0');
  write(card.rank, 320, 130, '#fff');
  write(card.title, 420, 64, '#fff');
  write(card.place, 480, 34, '#e8dff0');
  write(card.time, 565, 48, '#ffb3a7');
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'));
}
