/** Presets: graphs to begin with, versioned with the code. */
import type { Preset as PresetHeader } from '../../domain/flows/presets/index.ts';
import { closed, oneOf, Type } from '../declare/schema.ts';
import { FlowGraph } from './schemas.ts';

const fields = {
  key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  progression: oneOf(['ITEM', 'ORDER_GROUP']),
};
export const PresetHead = closed(fields, { title: 'FlowPresetSummary' });
export const Preset = closed({ ...fields, graph: FlowGraph }, { title: 'FlowPreset' });

export const viewPreset = ({ key, name, description, progression }: PresetHeader) => ({ key, name, description, progression });
