import { PRESETS } from '../../domain/flows/presets/index.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { PresetHead, viewPreset } from './presets.ts';

export const listPresets = endpoint({
  id: 'flows.listPresets',
  route: 'GET /v1/flow-presets',
  summary: 'List the graphs that a new flow can begin with',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: closed({ items: Type.Array(PresetHead) }),
}).handle(async () => ({ items: PRESETS.map(viewPreset) }));
