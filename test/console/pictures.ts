// Pictures of the pages that the tests visit, at every width and in both schemes. `SCREENSHOTS` names the folder in which they are kept for
// whoever looks at a run; without it none are made. Each is compared with the one that was recorded, of which the repository holds only
// how much is drawn in each of some coarse squares: enough to notice that something is missing, has moved or has the wrong colours.
// `RECORD_PICTURES=1` records them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectRoot } from '../../src/root.js';

export const WIDTHS = [390, 1024, 1440] as const;
export const SCHEMES = ['light', 'dark'] as const;

const folder = process.env['SCREENSHOTS'];
const isRecording = process.env['RECORD_PICTURES'] === '1';
const recordFile = join(projectRoot, 'test/console/pictures.json');

/** The side of a square, in pixels, and the steps of what is measured. */
const SQUARE = 64;
const STEPS = 16;
/** Steps by which a square may differ: rows of a list hold other texts in every run. */
const STEP_TOLERANCE = 2;
/** The share of squares that may differ by more. */
const SHARE_TOLERANCE = 0.1;

/** What differs from run to run, in a form that does not: ids, times, durations, ports, names of platforms. */
function calm(page: Page): Promise<void> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      const still = text
        .replaceAll(/\b20\d\d-\d\d-\d\d([ T]?)(?:\d\d:\d\d(?::\d\d)?(?:\.\d+)?)?/g, (found) => found.replaceAll(/\d/g, '0'))
        .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '00:00:00')
        .replaceAll(/\b(?=[0-9a-f-]*\d)[0-9a-f]{6}(?:[0-9a-f-]*[0-9a-f])?\b/g, (found) => found.replaceAll(/[0-9a-f]/g, '0'))
        .replaceAll(/\bt[0-9a-f]{12}\b/g, 't000000000000')
        .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:00000')
        .replaceAll(/\b\d+ ms\b/g, '0 ms');
      if (still !== text) node.textContent = still;
    }
  });
}

/** The brightness of the background, and for each square how much of it is not background: one digit each, row after row. */
export const squaresOf = (page: Page, jpeg: string): Promise<string> =>
  page.evaluate(
    async ([data, square, steps]) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/jpeg;base64,${data}`)).blob());
      const { width, height } = bitmap;
      const canvas = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D;
      canvas.drawImage(bitmap, 0, 0);
      const { data: pixels } = canvas.getImageData(0, 0, width, height);
      const brightness = (x: number, y: number): number => {
        const at = (y * width + x) * 4;
        return (pixels[at] as number) * 0.299 + (pixels[at + 1] as number) * 0.587 + (pixels[at + 2] as number) * 0.114;
      };
      const digit = (share: number): string => Math.min(steps - 1, Math.floor(share * steps)).toString(steps);
      // The lower right corner of a page is empty.
      const background = brightness(width - 3, height - 3);
      // Every second pixel is enough. The root lets a line of text count as much as a large area.
      const ink = (left: number, top: number): number => {
        let marked = 0;
        let count = 0;
        for (let y = top; y < Math.min(top + square, height); y += 2)
          for (let x = left; x < Math.min(left + square, width); x += 2) {
            if (Math.abs(brightness(x, y) - background) > 12) marked += 1;
            count += 1;
          }
        return Math.sqrt(marked / count);
      };
      const rows = [digit(background / 256)];
      for (let top = 0; top < height; top += square) {
        let row = '';
        for (let left = 0; left < width; left += square) row += digit(ink(left, top));
        rows.push(row);
      }
      return rows.join(' ');
    },
    [jpeg, SQUARE, STEPS] as const,
  );

/** The share of squares that differ by more than the tolerance. */
export function differenceOf(seen: string, recorded: string): number {
  // Another size, or another scheme.
  if (seen.length !== recorded.length || seen[0] !== recorded[0]) return 1;
  const squares = [...seen].map((letter, at) => Math.abs(Number.parseInt(letter, STEPS) - Number.parseInt(recorded[at] ?? '', STEPS)));
  const known = squares.filter((steps) => !Number.isNaN(steps));
  return known.filter((steps) => steps > STEP_TOLERANCE).length / known.length;
}

type Recorded = { [name: string]: string };

export type Album = {
  /**
   * The page, which is in the light scheme, at every width in both schemes; it is left at the last width. Answers what differs from the
   * record, and what was found at the widths.
   */
  take(page: Page, name: string, widths: readonly number[], look: (width: number) => Promise<string[]>): Promise<string[]>;
  /** Ends the recording, if there is one. Answers the pictures of the record that were not taken. */
  close(): string[];
};

/** Without pictures. */
async function lookAt(page: Page, _: string, widths: readonly number[], look: (width: number) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await look(width)));
  }
  return found;
}

export async function openAlbum(browser: Browser): Promise<Album> {
  if (folder === undefined) return { take: lookAt, close: () => [] };
  const record: Recorded = existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, 'utf8')) as Recorded) : {};
  const seen: Recorded = {};
  const differences: string[] = [];
  const ruler = await (await browser.newContext()).newPage();
  for (const width of WIDTHS) for (const scheme of SCHEMES) await mkdir(join(folder, `${width}-${scheme}`), { recursive: true });
  return {
    async take(page, name, widths, look) {
      const found: string[] = [];
      const compared: Promise<void>[] = [];
      const compare = async (key: string, data: string) => {
        const squares = await squaresOf(ruler, data);
        seen[key] = squares;
        const difference = isRecording ? 0 : differenceOf(squares, record[key] ?? '');
        differences.push(`${difference.toFixed(3)} ${key}`);
        if (difference > SHARE_TOLERANCE) found.push(`${key} differs from its record in ${(difference * 100).toFixed(0)} % of its squares`);
      };
      const devtools = await page.context().newCDPSession(page);
      let schemes: readonly (typeof SCHEMES)[number][] = SCHEMES;
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        found.push(...(await look(width)));
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          await calm(page);
          const { data } = await devtools.send('Page.captureScreenshot', { format: 'jpeg', quality: 70, optimizeForSpeed: true });
          await writeFile(join(folder, `${width}-${colorScheme}`, `${name.replaceAll(/\W+/g, '-')}.jpg`), data, 'base64');
          // While the next one is taken.
          compared.push(compare(`${name} ${width} ${colorScheme}`, data));
        }
        // The next width begins with the scheme that is shown.
        schemes = schemes.toReversed();
      }
      await devtools.detach();
      await Promise.all(compared);
      return found;
    },
    close() {
      // For whoever wants to know how close the pictures are to the tolerance.
      writeFileSync(join(folder, 'differences.txt'), `${differences.sort().reverse().join('\n')}\n`);
      if (isRecording) writeFileSync(recordFile, `${JSON.stringify(Object.fromEntries(Object.entries(seen).sort()), null, 2)}\n`);
      return isRecording ? [] : Object.keys(record).filter((name) => seen[name] === undefined);
    },
  };
}
