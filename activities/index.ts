import { activityInfo } from '@temporalio/activity';
import { runTransition } from '../db/transitions.ts';
import { DELIVERIES_QUEUE, RUNS_QUEUE } from '../workflows/kernel/queues.ts';
import { WORKFLOW_TYPES, type WorkflowProperties, WORKFLOWS, type WorkflowType } from '../workflows/kernel/messages.ts';
import { approval, approvalNotice } from './approvals.ts';
import { invitation } from './invitations.ts';
import { atMost, BRIEF_AT_ONCE } from './kernel/brief.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { redactErrors } from './kernel/redact.ts';
import { type RunActivities, transitionActivity } from './kernel/transition.ts';
import { orderGroup, orderItem } from './orders.ts';
import { payment } from './payments.ts';
import { webhookDelivery } from './webhooks.ts';

/** The activities of each workflow type beside its transition. */
const RUNS: { readonly [T in WorkflowType]: RunActivities<T> } = {
  approval,
  approvalNotice,
  claim: {},
  invitation,
  orderGroup,
  orderItem,
  payment,
  webhookDelivery,
  webhookSubscription: {},
};

type Activities = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;
const typesWhere = (fits: (properties: WorkflowProperties) => boolean) => WORKFLOW_TYPES.filter((type) => fits(WORKFLOWS[type]));
const all = (activities: readonly Activities[]): Activities => Object.assign({}, ...activities) as Activities;

const transitionsOf = (deps: ActivityDeps, types: readonly WorkflowType[]): Activities =>
  all(types.map((type) => transitionActivity(deps, RUNS[type].transition?.(deps) ?? runTransition(type, deps))));

/** The calls of a workflow type, and those that it makes briefly, which may be made of them. */
interface MadeCalls {
  readonly calls: Activities;
  readonly brief: Activities;
}
/** What builds them, where inputs and outcomes do not matter. */
interface AnyRun {
  calls?(deps: ActivityDeps): Activities;
  brief?(deps: ActivityDeps, calls: Activities): Activities;
}
function callsOf(deps: ActivityDeps, type: WorkflowType): MadeCalls {
  const run: AnyRun = RUNS[type];
  const calls = run.calls?.(deps) ?? {};
  return { calls: redactErrors(deps, calls), brief: redactErrors(deps, run.brief?.(deps, calls) ?? {}) };
}

/** What one worker makes both briefly and not has one name: as a local activity it is the brief call. */
const eitherWay = (brief: Activities, ordinary: Activities): Activities => ({
  ...brief,
  ...Object.fromEntries(
    Object.entries(ordinary).map(([name, make]) => {
      const short = brief[name];
      return [name, short ? (...call: never[]) => (activityInfo().isLocal ? short(...call) : make(...call)) : make];
    }),
  ),
});

/** The activities of a process. The calls of a type are built once, and are the same on every task queue. */
export function createActivities(deps: ActivityDeps) {
  const made = Object.fromEntries(WORKFLOW_TYPES.map((type) => [type, callsOf(deps, type)])) as Readonly<Record<WorkflowType, MadeCalls>>;
  /**
   * Those on a task queue of runs: transitions, brief calls, a bounded number of all at a time, and calls that have no queue of their own.
   */
  const hostedOn = (own: WorkflowProperties['queue']): Activities => {
    const types = typesWhere(({ queue }) => queue === own);
    const brief = atMost(BRIEF_AT_ONCE, all(types.map((type) => made[type].brief)));
    const ordinary = all(types.filter((type) => WORKFLOWS[type].callsQueue === null).map((type) => made[type].calls));
    return { ...transitionsOf(deps, types), ...eitherWay(brief, ordinary) };
  };
  return {
    /** Of the runs queue: transitions, on Postgres only, and brief calls. */
    transitions: hostedOn(RUNS_QUEUE),
    /** Transitions and calls of deliveries, which share a task queue; for one worker, because each counts its own brief calls. */
    createDeliveries: () => hostedOn(DELIVERIES_QUEUE),
    /** Those that make external calls, by task queue. */
    calls: Object.fromEntries(
      callQueues().map((queue) => [queue, all(typesWhere((type) => queuesOf(type).includes(queue)).map((type) => made[type].calls))]),
    ),
  };
}

const queuesOf = ({ callsQueue, ownQueues = {} }: WorkflowProperties): readonly string[] => [
  ...(callsQueue === null ? [] : [callsQueue]),
  ...Object.values(ownQueues),
];
const callQueues = (): string[] => [...new Set(WORKFLOW_TYPES.flatMap((type) => queuesOf(WORKFLOWS[type])))];
