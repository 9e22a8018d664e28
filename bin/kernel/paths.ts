import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the development system keeps its data: DATA_DIR, or `.data` in the project. */
export const dataDir = (): string => resolve(root, process.env['DATA_DIR'] ?? '.data');
