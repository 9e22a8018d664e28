/** Known faults that are put into a copy of the tree, to prove that the harness detects them (mutation tests). */
import { chmodSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../bin/kernel/paths.ts';

interface Sabotage {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Where processes are killed, so that the fault has an effect. */
  readonly failpoints: string;
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'answer before commit',
    file: 'api/kernel/mount.ts',
    find: `failpoint('request.before-commit');`,
    put: `if (endpoint.change === 'here') {
          ctx.respond = false;
          ctx.res.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify({ meta: {}, data: reply.body, error: null }));
          await new Promise((resolve) => setTimeout(resolve, 10));
          // Only for responses that acknowledge a change: kills at the many reads would use up the drill's time.
          failpoint('request.before-commit');
        }`,
    failpoints: 'request.before-commit=0.2',
  },
  {
    name: 'mark sent before sending',
    file: 'activities/webhooks.ts',
    find: `failpoint('webhook.before-send');`,
    put: `const sent = { errorCode: null, responseStatusCode: 200, responseTimeMs: 1, responseBodyExcerpt: '' };
    const ended = { entityId: deliveryId, outcome: { result: 'SUCCESS' }, at } as const;
    await completeCall(deps, deliveryTransition(sent), call, ended);
      failpoint('webhook.before-send');`,
    failpoints: 'webhook.before-send=0.2',
  },
  {
    // Refund id and idempotency key are generated at the call instead of committed before it.
    name: 'provider key after the order',
    file: 'activities/payments.ts',
    find: `    refundId: input.refundId,
    amount: input.refundAmount,
    key: input.key,`,
    put: `    refundId: crypto.randomUUID(),
    amount: input.refundAmount,
    key: crypto.randomUUID(),`,
    failpoints: 'provider.after-answer=0.3',
  },
  {
    name: 'refund again without looking',
    file: 'domain/payments/refundMachine.ts',
    find: `return next(call.name === 'refundPayment' ? { isAnswered } : {}, 'findRefund', at + readGap(n));`,
    put: `return next({ isAnswered, keySeq: refund.keySeq + 1 }, 'refundPayment', at + readGap(n));`,
    failpoints: 'provider.after-answer=0.3',
  },
];

/** A copy of the tree with the fault. */
export function sabotaged({ file, find, put }: Sabotage): string {
  const copy = mkdtempSync(join(tmpdir(), 'sangjeom-sabotage-'));
  chmodSync(copy, 0o755);
  for (const part of [
    'api',
    'domain',
    'workflows',
    'db',
    'activities',
    'worker',
    'simulator',
    'bin',
    'test',
    'package.json',
    'package-lock.json',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const source = readFileSync(join(copy, file), 'utf8');
  if (!source.includes(find)) throw new Error(`the sabotage does not fit ${file} any more`);
  writeFileSync(join(copy, file), source.replace(find, put));
  return copy;
}
