/** The reference page in a real Chromium: it draws every operation and its own policy blocks nothing of it. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { surfaceOf } from '../../../api/kernel/openapi.ts';
import { DESKTOP, Screens } from '../../kernel/chromium.ts';
import { underTest } from '../../kernel/world.ts';

const screens = new Screens('the reference page');
screens.describe('/docs', () => {
  test('lists every operation of the store API, without an error', async () => {
    const page = await screens.open({ viewport: DESKTOP });
    await page.goto(`${underTest.api}/docs`);
    await page.waitForSelector('.opblock', { timeout: 20_000 });
    const wanted = endpoints.filter((endpoint) => surfaceOf(endpoint) === 'store').length;
    expect(await page.locator('.opblock').count()).toBe(wanted);
  }, 60_000);
});
