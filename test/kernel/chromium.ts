/** Headless Chromium and the setup of screen tests. */
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumPath } from '../../bin/dev/chromium.ts';
import { root } from '../../bin/kernel/paths.ts';
import { underTest } from './world.ts';

const shots = process.env['SCREENSHOTS'] ?? join(root, '.data/screenshots');
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

export const isWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** A browser for the tests of one file; each test has its own context. */
export class Screens {
  /** CSP violations and script errors of our pages. A test with any fails. */
  readonly complaints: string[] = [];
  /** `describe`, skipped where there is no Chromium. */
  readonly describe: typeof describe | typeof describe.skip;
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;

  constructor(what: string) {
    this.describe = chromiumPath === undefined ? describe.skip : describe;
    if (chromiumPath === undefined) process.stderr.write(`No Chromium: ${what} is not tried in a browser. Install it or set CHROMIUM.\n`);
    beforeAll(async () => {
      if (chromiumPath === undefined) return;
      this.#browser = await chromium.launch({ executablePath: chromiumPath, args: [...CHROMIUM_FLAGS] });
      mkdirSync(shots, { recursive: true });
    }, 60_000);
    afterEach(async () => {
      await this.close();
      expect(this.complaints.splice(0)).toEqual([]);
    });
    afterAll(() => this.#browser?.close());
  }

  /** A page in a new context. Complaints of the provider's pages are ignored. */
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
