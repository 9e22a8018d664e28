import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { DAY, duration, korean } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Timestamp, Type } from '../declare/schema.ts';
import { advanceClock as advance } from './advance.ts';
import { CLOCK } from './subject.ts';

const TIME = '(?:T(?:[0-9]{1,5}H(?:[0-9]{1,6}M)?(?:[0-9]{1,8}S)?|[0-9]{1,6}M(?:[0-9]{1,8}S)?|[0-9]{1,8}S))';
/** What `duration` reads. */
const DURATION = `^P(?:(?:[0-9]{1,4}W(?:[0-9]{1,4}D)?|[0-9]{1,4}D)${TIME}?|${TIME})$`;
const LONGEST_MS = 400 * DAY;

export const advanceClock = endpoint({
  id: 'sandbox.advanceClock',
  route: 'POST /v1/sandbox/clock',
  summary: 'Advance the clock of a sandbox store; answers when everything that fell due has happened, or after 10 seconds',
  access: 'store',
  scopes: ['store:rw'],
  agent: 'denied',
  target: CLOCK,
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      advance: Type.Optional(
        Type.String({ maxLength: 40, description: 'ISO 8601 duration of at most 400 days: P3DT1H', 'x-document': { pattern: DURATION } }),
      ),
      to: Type.Optional(Timestamp),
    },
    { title: 'ClockAdvance', 'x-document': { oneOf: [{ required: ['advance'] }, { required: ['to'] }] } },
  ),
  data: closed({ now: Timestamp, settled: Type.Boolean() }, { title: 'ClockAdvanced' }),
  errors: ['STORE_NOT_FOUND', 'TEMPORARILY_UNAVAILABLE'],
}).handle(async ({ sandbox, storeId, body, at, deps, commands, outside }) => {
  if (!sandbox) throw new Fault('STORE_NOT_FOUND');
  const target = targetOf(body, at);
  const end = 'to' in target ? target.to : at + target.by;
  return outside(() => advance(deps, storeId, target, commands.operation), { now: korean(end), settled: false });
});

/** A duration counts from the moment this advance gets its turn; a time is that time. */
function targetOf(body: { advance?: string; to?: string }, at: number): { by: number } | { to: number } {
  if ((body.advance === undefined) === (body.to === undefined)) throw invalid('advance', 'REQUIRED', 'Send either advance or to.');
  if (body.to !== undefined) {
    const to = Date.parse(body.to);
    if (Number.isNaN(to)) throw invalid('to', 'INVALID', 'There is no such time.');
    if (to < at) throw invalid('to', 'OUT_OF_RANGE', 'The clock does not go backwards.');
    if (to - at > LONGEST_MS) throw invalid('to', 'OUT_OF_RANGE', 'At most 400 days at once.');
    return { to };
  }
  const by = duration(body.advance!);
  if (by === null) throw invalid('advance', 'INVALID', 'Not an ISO 8601 duration without months and years.');
  if (by > LONGEST_MS) throw invalid('advance', 'OUT_OF_RANGE', 'At most 400 days at once.');
  return { by };
}
