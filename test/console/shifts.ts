// What moves on a page while it is read.
import type { Page } from 'playwright-core';

/** More than a change of a few pixels somewhere. */
const LEAST = 0.01;
/** For this long after a click or a change of the window the browser takes a shift for the reader's own. */
const OWN_MS = 500;

type Shift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean };
type Noted = { readonly shifts: Shift[]; resizedAt: number };

/** From now on, and after every load of the tab from its first paint, shifts are noted. To be called once for a tab. */
export async function noteShifts(page: Page): Promise<void> {
  const observe = () => {
    const noted: Noted = { shifts: [], resizedAt: 0 };
    Object.assign(window, { noted });
    addEventListener('resize', () => {
      noted.resizedAt = performance.now();
    });
    new PerformanceObserver((list) => void noted.shifts.push(...(list.getEntries() as Shift[]))).observe({
      type: 'layout-shift',
      buffered: true,
    });
  };
  await page.addInitScript(observe);
  await page.evaluate(observe);
}

/** Waits until a shift would not be taken for the reader's own, and forgets those before. */
export async function beginShifts(page: Page): Promise<void> {
  await page.waitForFunction((own) => performance.now() - (window as unknown as { noted: Noted }).noted.resizedAt > own, OWN_MS);
  await shiftsOn(page);
}

/** The shifts since the last question that nobody asked for, in one line with their sum. */
export const shiftsOn = (page: Page): Promise<string[]> =>
  page.evaluate(async (least) => {
    // What the last frames moved is told after them.
    for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    const found = (window as unknown as { noted: Noted }).noted.shifts.splice(0).filter(({ hadRecentInput }) => !hadRecentInput);
    const sum = found.reduce((total, { value }) => total + value, 0);
    return sum > least ? [`layout shift of ${sum.toFixed(3)} on ${location.pathname}`] : [];
  }, LEAST);
