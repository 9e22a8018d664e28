import type { Endpoint } from '../declare/endpoint.ts';
import { check } from './check.ts';
import { create } from './create.ts';
import { drawDraft } from './drawDraft.ts';
import { drawGraph } from './drawGraph.ts';
import { drawItem } from './drawItem.ts';
import { drawVersion } from './drawVersion.ts';
import { get } from './get.ts';
import { getDraft } from './getDraft.ts';
import { getPreset } from './getPreset.ts';
import { getVersion } from './getVersion.ts';
import { list } from './list.ts';
import { listPresets } from './listPresets.ts';
import { listSecrets } from './listSecrets.ts';
import { listVersions } from './listVersions.ts';
import { migrate } from './migrate.ts';
import { nodeTypes } from './nodeTypes.ts';
import { publish } from './publish.ts';
import { removeSecret } from './removeSecret.ts';
import { replay } from './replay.ts';
import { saveDraft } from './saveDraft.ts';
import { saveSecret } from './saveSecret.ts';
import { simulate } from './simulate.ts';

// The paths of connections come before those of flows, which would take them for an id.
export const flows: readonly Endpoint[] = [
  listPresets,
  getPreset,
  nodeTypes,
  listSecrets,
  saveSecret,
  removeSecret,
  create,
  list,
  get,
  getDraft,
  saveDraft,
  check,
  simulate,
  replay,
  publish,
  listVersions,
  getVersion,
  migrate,
  drawGraph,
  drawDraft,
  drawVersion,
  drawItem,
];
