// Pictures of the pages that the tests visit, for whoever looks at a run. `SCREENSHOTS` names the folder; without it none are made.
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const folder = process.env['SCREENSHOTS'];

/** The page as it is, in both schemes. */
export async function keepScreenshots(page: Page, name: string, width: number): Promise<void> {
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = join(folder, `${width}-${colorScheme}`, `${name.replaceAll(/\W+/g, '-')}.jpg`);
    await page.screenshot({ path, type: 'jpeg', quality: 70 });
  }
}
