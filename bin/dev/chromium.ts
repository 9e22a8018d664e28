/** A real Chromium, as far as there is one on a machine without a display or a way to the internet. */
import { existsSync } from 'node:fs';

/** The shell has no windows and tabs to draw: a third of the work of a whole Chromium. */
export const chromiumPath: string | undefined = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
];
