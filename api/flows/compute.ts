/** What is computed of a graph (F45), from plain data to plain data. */
import type { FlowSource } from '../../db/flows/rehearsed.ts';
import type { Way } from '../../db/orders/flows/way.ts';
import type { RecordedItem } from '../../db/orders/flows/replayed.ts';
import { bundleOf } from '../../domain/flows/check/bundle.ts';
import { type Checked, checkGraph } from '../../domain/flows/check/checkGraph.ts';
import { contextOf, type DraftFacts } from '../../domain/flows/check/context.ts';
import type { Truncation } from '../../domain/flows/rehearse/clockwork.ts';
import { compileFlow, type Flow } from '../../domain/flows/run/flow.ts';
import type { Bundle, Graph } from '../../domain/flows/graph/graph.ts';
import { play, type Simulation } from '../../domain/flows/rehearse/simulate.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { createBudget } from './budget.ts';
import { replayItem, viewDivergence } from './replayed.ts';
import { sizeOf, viewAnswer, viewNothing } from './simulated.ts';

export type Computation =
  | { readonly type: 'check'; readonly draft: DraftFacts }
  | { readonly type: 'simulate'; readonly source: FlowSource; readonly simulation: Simulation }
  | { readonly type: 'replay'; readonly source: FlowSource; readonly item: RecordedItem }
  | { readonly type: 'draw'; readonly graph: Graph; readonly title: string; readonly way: Way | null };

/** A draft that may not be published is not rehearsed. */
export interface Blocked {
  readonly blocking: Checked['blocking'];
}
/** By type, what a computation gives. */
export interface Results {
  readonly check: Checked;
  /** Null: its steps were handed out, each as JSON; the first one is how things stand before it. */
  readonly simulate: Blocked | null;
  /** Handed out: how many records were fed. */
  readonly replay:
    | Blocked
    | { readonly fed: number; readonly divergedAt: ReturnType<typeof viewDivergence> | null; readonly truncated: Truncation | null };
  readonly draw: string;
}
type HandOut = (progress: unknown) => void;

export async function compute(computation: Computation, handOut: HandOut): Promise<Results[keyof Results]> {
  switch (computation.type) {
    case 'check':
      return check(computation.draft);
    case 'simulate':
      return simulate(computation, handOut);
    case 'replay':
      return replay(computation, handOut);
    case 'draw': {
      const { draw } = await import('./picture/draw.ts');
      return draw(computation.graph, computation.title, computation.way);
    }
    default:
      return computation satisfies never;
  }
}

const check = (draft: DraftFacts): Checked => checkGraph(draft.graph, contextOf(draft, PLATFORM_FIELDS));

/** The draft as it would be published. */
function flowOf(source: FlowSource): { readonly flow: Flow } | Blocked {
  if ('bundle' in source) return { flow: compileFlow(JSON.parse(source.bundle) as Bundle) };
  const { publishable, blocking } = check(source.draft);
  if (!publishable) return { blocking };
  return { flow: compileFlow(bundleOf(source.draft.graph, contextOf(source.draft, PLATFORM_FIELDS)).bundle) };
}

function simulate({ source, simulation }: Extract<Computation, { type: 'simulate' }>, handOut: HandOut): Results['simulate'] {
  const budget = createBudget(sizeOf);
  const found = flowOf(source);
  if ('blocking' in found) return found;
  const { flow } = found;
  handOut(JSON.stringify(viewNothing(flow, simulation.at)));
  for (const answer of play(flow, simulation, budget)) {
    const step = JSON.stringify(viewAnswer(flow, answer, simulation.at));
    const truncated = answer.truncated ?? budget.answer(Buffer.byteLength(step)) ?? budget.exhausted();
    handOut(truncated === answer.truncated ? step : JSON.stringify({ ...(JSON.parse(step) as object), truncated }));
    if (truncated) break;
  }
  return null;
}

function replay({ source, item }: Extract<Computation, { type: 'replay' }>, handOut: HandOut): Results['replay'] {
  const budget = createBudget(() => 0);
  const found = flowOf(source);
  if ('blocking' in found) return found;
  const { fed, diverged, truncated } = replayItem(found.flow, item, (records) => {
    handOut(records);
    return budget.exhausted();
  });
  return { fed, divergedAt: diverged && viewDivergence(diverged), truncated };
}
