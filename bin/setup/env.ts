import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from './paths.ts';
import { Remedy } from './say.ts';

/** What a running system was started with: our own environment first, else that of the development system here. */
export function systemEnv(): (name: string) => string {
  let started: Readonly<Record<string, string>> = {};
  try {
    started = JSON.parse(readFileSync(join(dataDir(), 'env.json'), 'utf8')) as Record<string, string>;
  } catch {
    // nothing was started here
  }
  return (name) => {
    const value = process.env[name] ?? started[name];
    if (!value) throw new Remedy(`Start the system with \`npm start\` first, or set ${name}.`);
    return value;
  };
}
