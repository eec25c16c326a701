// A real browser for tests. Without one the tests say so and pass, unless REQUIRE_BROWSER is set.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const browserPath: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

/** The reason to skip a test that needs a browser; false if there is one. */
export const withoutBrowser: string | false =
  browserPath !== undefined || process.env['REQUIRE_BROWSER'] ? false : 'no Chromium was found; set CHROMIUM to its path';

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ ...(browserPath !== undefined && { executablePath: browserPath }), args: ['--no-sandbox'] });
