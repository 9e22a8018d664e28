/** The reference page in a real Chromium: it draws every operation and its own policy blocks nothing of it. */
import { expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { surfaceOf } from '../../../api/documents/openapi.ts';
import { DESKTOP, Screens } from '../../kernel/chromium.ts';
import { underTest, until } from '../../kernel/world.ts';

const screens = new Screens('the reference page');
screens.describe('/docs', () => {
  test('lists every operation of the store API, without an error', async () => {
    const page = await screens.open({ viewport: DESKTOP });
    await page.goto(`${underTest.api}/docs`);
    const wanted = endpoints.filter((endpoint) => surfaceOf(endpoint) === 'store').length;
    // Swagger UI draws the operations near the viewport only: whoever scrolls sees them all.
    const drawn = new Set<string>();
    await until(
      'every operation is drawn',
      async () => {
        for (const id of await page.locator('.opblock').evaluateAll((blocks) => blocks.map((block) => block.id))) drawn.add(id);
        await page.mouse.wheel(0, 400);
        return drawn.size >= wanted;
      },
      50_000,
    );
    expect(drawn.size).toBe(wanted);
  }, 60_000);
});
