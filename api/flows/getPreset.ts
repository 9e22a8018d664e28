import { PRESETS } from '../../domain/flows/presets/index.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Preset, viewPreset } from './presets.ts';

export const getPreset = endpoint({
  id: 'flows.getPreset',
  route: 'GET /v1/flow-presets/{key}',
  summary: 'Read a preset with its graph',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: Preset,
  errors: ['FLOW_PRESET_NOT_FOUND'],
}).handle(async ({ params }) => {
  const preset = PRESETS.find(({ key }) => key === params.key);
  if (!preset) throw new Fault('FLOW_PRESET_NOT_FOUND');
  return { ...viewPreset(preset), graph: preset.graph };
});
