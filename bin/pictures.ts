/** `npm run pictures`: starts a temporary system, creates a few orders in it and takes the screenshots of `docs/pictures`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { pay } from './dev/client.ts';
import { CHROMIUM_FLAGS, chromiumPath } from './dev/chromium.ts';
import type { DevelopmentSystem } from './dev/developmentSystem.ts';
import { sellSome, type Shown } from './dev/pictures/shop.ts';
import { temporarySystem } from './dev/temporary.ts';
import { until } from './dev/until.ts';
import { root } from './kernel/paths.ts';
import { printProgress, run, UserError } from './kernel/cli.ts';
import { makeStore } from './ops/store/make.ts';

const folder = join(root, 'docs/pictures');

/** Takes screenshots in Chromium; with `zoom` 1 the page is as wide as the picture. */
class Camera {
  readonly #browser: Browser;
  constructor(browser: Browser) {
    this.#browser = browser;
  }
  /** Opens a URL, waits for `ready`, and takes a screenshot of 1400 pixels by `height`. */
  async take(name: string, url: string, { zoom = 1, height = 900, locale = 'en-US' }: Frame, ready: (page: Page) => Promise<unknown>) {
    const viewport = { width: Math.round(1400 / zoom), height: Math.round(height / zoom) };
    const page = await this.#browser.newPage({ viewport, deviceScaleFactor: zoom, locale, timezoneId: 'Asia/Seoul' });
    await page.goto(url);
    await ready(page);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, animations: 'disabled' });
    await page.close();
    printProgress(path);
  }
}
interface Frame {
  readonly zoom?: number;
  readonly height?: number;
  readonly locale?: string;
}

async function withCamera(use: (camera: Camera) => Promise<void>): Promise<void> {
  if (chromiumPath === undefined) throw new UserError('There is no Chromium here: install it, or set CHROMIUM to its path.');
  // A development dependency: not installed in production.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...CHROMIUM_FLAGS] });
  try {
    await use(new Camera(browser));
  } finally {
    await browser.close();
  }
}

/** The timeline measures the background of its labels only when the page is resized: before that it is too short. */
async function showLabels(page: Page): Promise<void> {
  const label = page.getByText('Next poll of the courier').first();
  await label.waitFor();
  const size = page.viewportSize()!;
  for (const width of [size.width - 20, size.width]) await page.setViewportSize({ ...size, width });
  await until('a readable label', () => label.evaluate(isReadable));
}
/** The part of the browser's SVG types that is used here. */
interface Label {
  readonly parentElement: { querySelectorAll(selector: 'line'): Iterable<{ getBBox(): { width: number } }> };
  getBBox(): { width: number };
}
const isReadable = (label: Label): boolean =>
  [...label.parentElement.querySelectorAll('line')].some(
    // The bar itself is longer.
    (line) => line.getBBox().width >= label.getBBox().width && line.getBBox().width < 1.2 * label.getBBox().width,
  );

const PAYMENT: Frame = { zoom: 1.6, locale: 'ko-KR' };
/** The payment screen in each of its states. */
async function takePayments(camera: Camera, { startPayment, addWays, advance }: Shown): Promise<void> {
  await camera.take('payment', await startPayment(), { ...PAYMENT, height: 1000 }, (page) => page.getByRole('timer').waitFor());
  await addWays();
  const waiting = await startPayment();
  await camera.take('payment-ways', waiting, { ...PAYMENT, height: 1360 }, (page) => page.getByText('다른 결제 수단').waitFor());
  // The approval of this test card takes 90 seconds.
  await camera.take('payment-processing', await startPayment(), { ...PAYMENT, height: 420 }, async (page) => {
    await page.getByRole('button', { name: '결제하기' }).click();
    await page.fill('[name=card]', '4111111111110021');
    await page.locator('button[value=pay]').click();
    await page.getByText('잠시만 기다려 주세요').waitFor();
  });
  const declined = await startPayment();
  await pay(declined, '4111111111110001');
  await camera.take('payment-failed', declined, { ...PAYMENT, height: 960 }, (page) => page.getByRole('alert').waitFor());
  await advance('PT11M');
  await camera.take('payment-expired', waiting, { ...PAYMENT, height: 420 }, (page) => page.getByRole('status').waitFor());
}

async function takeAll(camera: Camera, system: DevelopmentSystem, shown: Shown): Promise<void> {
  const { orderNo, workflowId } = shown;
  const runs = `${system.temporalUi}/namespaces/${system.temporalNamespace}/workflows`;
  const run = `${runs}/${encodeURIComponent(workflowId)}`;
  // First, while its timers are close to its other events in the timeline.
  await camera.take('temporal-ui', run, { zoom: 0.76 }, showLabels);
  await camera.take('temporal-ui-details', run, { zoom: 0.76, height: 580 }, async (page) => {
    await page.getByText('User Metadata').click();
    // Workflow details are in a frame.
    await page.frameLocator('#user-metadata-current-details').getByText('Next poll of the courier').waitFor();
  });
  const query = encodeURIComponent(`OrderNo="${orderNo}"`);
  const ofOrder = `${runs}?query=${query}`;
  await camera.take('temporal-ui-list', ofOrder, { zoom: 0.76, height: 400 }, async (page) => {
    // Visibility lists may be a second behind.
    await until('the runs of the order', async () => {
      await page.getByRole('button', { name: 'Refresh' }).last().click();
      return (await page.getByText('3 Workflows').count()) > 0;
    });
    await page.getByRole('button', { name: 'Collapse saved views' }).click();
    await page.getByText(workflowId).waitFor();
  });
  await takePayments(camera, shown);
  await camera.take('api-reference', `${system.api}/docs`, { zoom: 0.8 }, async (page) => {
    const filter = page.getByPlaceholder('Filter by tag or path');
    await filter.fill('Orders');
    await page.getByText('Cancel an item').first().waitFor();
    await filter.blur();
  });
}

await run(async () => {
  await withCamera(async (camera) => {
    mkdirSync(folder, { recursive: true });
    const drawing = pathToFileURL(join(root, 'bin/dev/pictures/system.html')).href;
    await camera.take('system', drawing, {}, (page) => page.getByText('Reconciler').waitFor());
    const system = await temporarySystem('pictures', { firstPort: 3600, durable: false });
    try {
      const request = { code: 'ongi', name: '온기상점', sandbox: true, withProduct: false };
      const store = await makeStore(system.databaseUrl, request, system.env['SEALING_KEYS']);
      await takeAll(camera, system, await sellSome(system, store));
    } finally {
      await system.stop();
    }
  });
  return 0;
});
