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
const callsOf = (deps: ActivityDeps, types: readonly WorkflowType[]): Activities =>
  all(types.map((type) => redactErrors(deps, RUNS[type].calls?.(deps) ?? {})));

/** Brief calls as local activities, a bounded number of all of them at a time. */
const briefCallsOf = (deps: ActivityDeps, types: readonly WorkflowType[]): Activities =>
  atMost(BRIEF_AT_ONCE, all(types.map((type) => redactErrors(deps, RUNS[type].brief?.(deps) ?? {}))));

/** The activities on a task queue of runs: their transitions, their brief calls, and the calls that have no task queue of their own. */
function hostedOn(deps: ActivityDeps, own: WorkflowProperties['queue']): Activities {
  const types = typesWhere(({ queue }) => queue === own);
  const ordinary = types.filter((type) => WORKFLOWS[type].callsQueue === null);
  return { ...transitionsOf(deps, types), ...eitherWay(briefCallsOf(deps, types), callsOf(deps, ordinary)) };
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

/** The activities of the runs queue: transitions, on Postgres only, and brief calls. */
export const createTransitions = (deps: ActivityDeps): Activities => hostedOn(deps, RUNS_QUEUE);

/** Transitions and calls of deliveries, which share a task queue. */
export const createDeliveries = (deps: ActivityDeps): Activities => hostedOn(deps, DELIVERIES_QUEUE);

/** Activities that make external calls, by task queue. */
export function createCalls(deps: ActivityDeps): Readonly<Record<string, Activities>> {
  const queuesOf = ({ callsQueue, ownQueues = {} }: WorkflowProperties): readonly string[] => [
    ...(callsQueue === null ? [] : [callsQueue]),
    ...Object.values(ownQueues),
  ];
  const queues = new Set(WORKFLOW_TYPES.flatMap((type) => queuesOf(WORKFLOWS[type])));
  const on = (queue: string) => typesWhere((properties) => queuesOf(properties).includes(queue));
  return Object.fromEntries([...queues].map((queue) => [queue, callsOf(deps, on(queue))]));
}
