/** The reference page in a real Chromium: it draws every operation and its own policy blocks nothing of it. */
import { expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import { endpoints } from '../../api/endpoints.ts';
import { surfaceOf } from '../../api/kernel/openapi.ts';
import { underTest } from '../kernel/world.ts';
import { browserPath, FLAGS } from './chromium.ts';

(browserPath === undefined ? test.skip : test)(
  '/docs lists every operation of the store API, without an error',
  async () => {
    const browser = await chromium.launch({ executablePath: browserPath!, args: FLAGS });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${underTest.api}/docs`);
    await page.waitForSelector('.opblock', { timeout: 20_000 });
    const wanted = endpoints.filter((endpoint) => surfaceOf(endpoint) === 'store').length;
    expect(await page.locator('.opblock').count()).toBe(wanted);
    await browser.close();
    expect(complaints).toEqual([]);
  },
  60_000,
);
