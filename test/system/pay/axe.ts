/** Accessibility of a page as it stands, by axe. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { DESKTOP, isWide, PHONE } from '../../kernel/chromium.ts';

const RUN = `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;

/** A page that waits for its payment loads itself anew, also in the middle of this: then that one is tried. */
async function violations(page: Page, tries = 3): Promise<string[]> {
  try {
    await page.evaluate(axe.source);
    return await page.evaluate<string[]>(RUN);
  } catch (error) {
    if (tries === 1 || !String(error).includes('Execution context was destroyed')) throw error;
    await page.waitForLoadState();
    return violations(page, tries - 1);
  }
}

/** What is wrong with a page, narrow and wide, in the language that it is shown in and in the other one where it links to it. */
export async function problemsOf(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const language of ['first', 'other']) {
    if (language === 'other') {
      const shown = await page.getAttribute('html', 'lang');
      const link = page.getByRole('link', { name: /^(?:English|한국어)$/ });
      if ((await link.count()) === 0) break;
      await link.click();
      await page.waitForFunction(`document.documentElement.lang !== '${shown}'`);
    }
    for (const viewport of [PHONE, DESKTOP]) {
      await page.setViewportSize(viewport);
      const found = [...(await violations(page)), ...((await isWide(page)) ? ['wider than the screen'] : [])];
      problems.push(...found.map((problem) => `${language} language, ${viewport.width} pixels: ${problem}`));
    }
  }
  return problems;
}
