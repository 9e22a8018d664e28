import { Fault } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Timestamp } from '../declare/schema.ts';

export const readClock = endpoint({
  id: 'sandbox.readClock',
  route: 'GET /v1/sandbox/clock',
  summary: 'Read the clock of a sandbox store',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  data: closed({ now: Timestamp }, { title: 'SandboxClock' }),
  errors: ['STORE_NOT_FOUND'],
}).handle(async ({ sandbox, at }) => {
  if (!sandbox) throw new Fault('STORE_NOT_FOUND');
  return { now: korean(at) };
});
