/** A real Chromium, as far as there is one on a machine without a display or a way to the internet, and what tests of screens share. */
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { root } from '../../bin/kernel/paths.ts';
import { underTest } from './world.ts';

const browserPath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
];
const shots = process.env['SCREENSHOTS'] ?? join(root, '.data/screenshots');
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

export const isWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** A browser for a file of tests of `what`; each test has a context of its own. */
export class Screens {
  /** What our pages' own policy blocks and any script error: a fault of ours. A test that leaves one fails. */
  readonly complaints: string[] = [];
  /** In the place of `describe`. */
  readonly describe: typeof describe | typeof describe.skip;
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;

  constructor(what: string) {
    this.describe = browserPath === undefined ? describe.skip : describe;
    if (browserPath === undefined) process.stderr.write(`No Chromium: ${what} is not tried in a browser. Install it or set CHROMIUM.\n`);
    beforeAll(async () => {
      if (browserPath === undefined) return;
      this.#browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
      mkdirSync(shots, { recursive: true });
    }, 60_000);
    afterEach(async () => {
      await this.close();
      expect(this.complaints.splice(0)).toEqual([]);
    });
    afterAll(() => this.#browser?.close());
  }

  /** A page of a fresh browser. The provider's own pages may complain. */
  async open(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser!.newContext(options);
    this.#context = context;
    context.on('console', (message) => {
      const isOurs = message.location().url.startsWith(underTest.api) || message.text().includes('Security Policy');
      if (message.type() === 'error' && isOurs) this.complaints.push(message.text());
    });
    context.on('weberror', (error) => this.complaints.push(String(error.error())));
    return context.newPage();
  }
  async close(): Promise<void> {
    await this.#context?.close();
  }
  async shoot(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage });
  }
}
