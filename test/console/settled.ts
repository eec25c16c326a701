import type { Page } from 'playwright-core';

/** Waits until a page of the console shows what it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main')?.innerText.includes('Loading …'));
}
