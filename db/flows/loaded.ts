/** Published flows, compiled. A version never changes, so that a process keeps those that it has used. */
import { compileFlow, type Flow } from '../../domain/flows/run/flow.ts';
import { builtInFlow } from '../../domain/flows/presets/index.ts';
import type { Tx } from '../kernel/tx.ts';
import { readHolidays } from './holidays.ts';
import type { Bundle } from '../../domain/flows/graph/graph.ts';

export interface FlowRef {
  readonly flowKey: string;
  readonly flowVersion: number;
}
/** How many versions a process keeps. */
const MAX_COMPILED = 500;
const compiled = new Map<string, Flow>();
/** The flows of loaded rows, which outlive their place among the kept ones, and the holidays of those that ask for them. */
const flows = new WeakMap<object, Flow>();
const holidays = new WeakMap<object, ReadonlySet<string>>();

const nameOf = (storeId: string, { flowKey, flowVersion }: FlowRef): string => `${storeId}/${flowKey}@${flowVersion}`;

/** Reads the flows of these rows, a few in a statement of those that are not kept; none where all take a default flow. */
export async function loadFlows(tx: Tx, rows: readonly FlowRef[]): Promise<void> {
  const { sql, storeId } = tx;
  const wanted = rows.filter((row) => !builtInFlow(row.flowKey, row.flowVersion));
  const missing = new Map(wanted.filter((row) => !compiled.has(nameOf(storeId, row))).map((row) => [nameOf(storeId, row), row]));
  for (const portion of portionsOf([...missing.values()])) {
    const [keys, versions] = [portion.map((row) => row.flowKey), portion.map((row) => row.flowVersion)];
    const found = await sql<{ key: string; version: number; bundle: Bundle }>`
      SELECT key, version, bundle FROM flow_version WHERE store_id = ${storeId}
        AND (key, version) IN (SELECT * FROM unnest(${keys}::text[], ${versions}::int[]))`;
    for (const { key, version, bundle } of found) remember(nameOf(storeId, { flowKey: key, flowVersion: version }), compileFlow(bundle));
  }
  for (const row of wanted) {
    const flow = compiled.get(nameOf(storeId, row));
    if (!flow) throw new Error(`No flow ${row.flowKey}@${row.flowVersion}`);
    flows.set(row, flow);
  }
  const withHolidays = wanted.filter((row) => flows.get(row)?.usesHolidays);
  if (withHolidays.length === 0) return;
  const days = await readHolidays(tx);
  for (const row of withHolidays) holidays.set(row, days);
}

/** Reading and compiling one takes up to ten milliseconds: others have their turn between the statements. */
const AT_ONCE = 4;
const portionsOf = <T>(rows: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_, i) => rows.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

function remember(name: string, flow: Flow): void {
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value!);
  compiled.set(name, flow);
}

/** The flow of a row for which `loadFlows` was called. Throws for any other, unless it takes a default flow. */
export function flowOf(row: FlowRef): Flow {
  const flow = builtInFlow(row.flowKey, row.flowVersion) ?? flows.get(row);
  if (!flow) throw new Error(`The flow ${row.flowKey}@${row.flowVersion} was not loaded`);
  return flow;
}

/** The holidays that the flow of a loaded row asks for; none where it asks for none. */
export const holidaysOf = (row: FlowRef): ReadonlySet<string> => holidays.get(row) ?? NONE;
const NONE: ReadonlySet<string> = new Set();
