/** A scenario as it is sent, and its problems. */
import { DAY, duration } from '../../domain/kernel/time.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { ALL_CLAIM_REASONS } from '../../domain/claims/rules.ts';
import { closed, oneOf, type Static, Stay, Timestamp, Type, valuesOf, Won, type Fitting } from '../declare/schema.ts';

const MAX_STEPS = 100;
const LONGEST_MS = 400 * DAY;
const EVENTS = ['start', 'seller.action', 'buyer.action', 'event', 'claim.opened', 'claim.closed'] as const;
/** Any JSON, which the limit of the whole body bounds. */
const Values = valuesOf(Type.Unknown());
const Event = closed(
  {
    type: oneOf(EVENTS),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Of an action' })),
    input: Type.Optional(Values),
    attachments: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 50 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 67, description: 'Of an event' })),
    data: Type.Optional(Values),
    leaves: Type.Optional(Type.Boolean({ description: 'The claim is approved: its units leave' })),
  },
  { title: 'FlowScenarioEvent' },
);
const Step = closed(
  {
    event: Type.Optional(Event),
    advance: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 duration of at most 400 days' })),
  },
  { title: 'FlowScenarioStep', 'x-document': { oneOf: [{ required: ['event'] }, { required: ['advance'] }] } },
);
const Quantity = Type.Integer({ minimum: 1, maximum: 9999 });
const Days = Type.Integer({ minimum: 0, maximum: 90 });
export const Scenario = closed(
  {
    steps: Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS, description: 'The first one is the start' }),
    context: Type.Optional(
      closed({
        at: Type.Optional(Timestamp),
        item: Type.Optional(
          closed({
            quantity: Type.Optional(Quantity),
            unitPrice: Type.Optional(Won),
            option: Type.Optional(Values),
            stay: Type.Optional(Stay),
          }),
        ),
        order: Type.Optional(closed({ paidAt: Type.Optional(Timestamp) })),
        settings: Type.Optional(closed({ autoDeliverDays: Type.Optional(Days), autoConfirmDays: Type.Optional(Days) })),
        results: Type.Optional(valuesOf(oneOf(['success', 'skipped', 'failed']))),
        claim: Type.Optional(
          closed({
            quantity: Type.Optional(Quantity),
            reason: Type.Optional(oneOf(ALL_CLAIM_REASONS)),
            refundable: Type.Optional(Won),
          }),
        ),
      }),
    ),
  },
  { title: 'FlowScenario' },
);
export type Scenario = Static<typeof Scenario>;

/** Every problem that the schema cannot tell. */
export function scenarioProblems({ steps = [], context }: Fitting<Scenario>): FieldError[] {
  const [first] = steps;
  const isStarted = first === undefined || ('event' in first && (first.event === undefined || first.event.type === 'start'));
  const stay = context?.item?.stay;
  return [
    ...(steps.length > 0 && !isStarted ? [{ field: 'steps[0]', code: 'INVALID', message: 'The first step is the event start.' }] : []),
    ...steps.flatMap((step, i) => (step ? stepProblems(step, `steps[${i}]`) : [])),
    ...(stay?.checkIn && stay.checkOut && stay.checkIn >= stay.checkOut
      ? [{ field: 'context.item.stay.checkOut', code: 'OUT_OF_RANGE', message: 'After the check-in.' }]
      : []),
  ];
}

function stepProblems(step: Fitting<Static<typeof Step>>, field: string): FieldError[] {
  if ('event' in step === 'advance' in step) return [{ field, code: 'REQUIRED', message: 'Either event or advance.' }];
  if (step.advance !== undefined) {
    const by = duration(step.advance);
    if (by === null) return [{ field: `${field}.advance`, code: 'INVALID', message: 'Not an ISO 8601 duration without months and years.' }];
    return by > LONGEST_MS ? [{ field: `${field}.advance`, code: 'OUT_OF_RANGE', message: 'At most 400 days.' }] : [];
  }
  return step.event ? eventProblems(step.event, `${field}.event`) : [];
}

type EventField = Exclude<keyof Static<typeof Event>, 'type'>;
/** The fields of each kind of event, and the one that it needs. */
const FIELDS: Readonly<Record<(typeof EVENTS)[number], { readonly may: readonly EventField[]; readonly needs?: EventField }>> = {
  start: { may: [] },
  'seller.action': { may: ['key', 'input', 'attachments'], needs: 'key' },
  'buyer.action': { may: ['key', 'input', 'attachments'], needs: 'key' },
  event: { may: ['name', 'data'], needs: 'name' },
  'claim.opened': { may: [] },
  'claim.closed': { may: ['leaves'] },
};
function eventProblems(event: Fitting<Static<typeof Event>>, field: string): FieldError[] {
  if (event.type === undefined) return [];
  const { may, needs } = FIELDS[event.type];
  const others = Object.keys(event).filter((key) => key !== 'type' && !(may as readonly string[]).includes(key));
  return [
    ...(needs && !(needs in event) ? [{ field: `${field}.${needs}`, code: 'REQUIRED', message: 'This kind of event needs it.' }] : []),
    ...others.map((key) => ({ field: `${field}.${key}`, code: 'UNKNOWN_FIELD', message: 'This kind of event does not have it.' })),
  ];
}
