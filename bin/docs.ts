/** `npm run docs`: writes the pages that are generated from the code. A test compares each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statesPage } from './diagrams.ts';
import { dependenciesPage } from './docs/dependencies.ts';
import { errorsPage } from './docs/errors.ts';
import { flowPictures } from './docs/flowPictures.ts';
import { root } from './kernel/paths.ts';

export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/states.md': statesPage,
  'docs/errors.md': errorsPage,
  'docs/dependencies.md': dependenciesPage,
  ...flowPictures,
};

if (import.meta.main) for (const [page, write] of Object.entries(PAGES)) writeFileSync(join(root, page), write());
