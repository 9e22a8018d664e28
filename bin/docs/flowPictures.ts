/** `docs/flows/*.svg`: the picture of each preset, as the API draws it. */
import { draw } from '../../api/flows/picture/draw.ts';
import { PRESETS } from '../../domain/flows/presets/index.ts';

export const flowPictures: Readonly<Record<string, () => string>> = Object.fromEntries(
  PRESETS.map(({ key, name, graph }) => [`docs/flows/${key}.svg`, () => draw(graph, name)]),
);
