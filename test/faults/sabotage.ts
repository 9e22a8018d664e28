/** Known faults that are put into a copy of the tree, to prove that the harness detects them (mutation tests). */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../bin/kernel/paths.ts';

interface Sabotage {
  readonly name: string;
  readonly file: string;
  /** Each text, which its file has once, and what replaces it. */
  readonly edits: readonly (readonly [find: string, put: string])[];
  /** Where processes are killed, so that the fault has an effect. */
  readonly failpoints: string;
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'answer before commit',
    file: 'api/pipeline/transact.ts',
    edits: [
      [
        'const answer = await inTenant(deps.orm, caller, limits, async (tx) => {',
        `let answer = (_: Answer): void => {};
      const early = new Promise<Answer>((resolve) => (answer = resolve));
      const late = inTenant(deps.orm, caller, limits, async (tx) => {`,
      ],
      [
        `failpoint('request.before-commit', endpoint.id);`,
        `if (endpoint.change === 'here') {
          answer({ status: reply.status, body, headers: outgoing.headers });
          await new Promise((resolve) => setTimeout(resolve, 10));
          // Only for responses that acknowledge a change: kills at the many reads would use up the drill's time.
          failpoint('request.before-commit');
        }`,
      ],
      [
        `failpoint('request.after-commit', endpoint.id);
      return answer;`,
        'return await Promise.race([early, late]);',
      ],
    ],
    failpoints: 'request.before-commit=0.2',
  },
  {
    name: 'mark sent before sending',
    file: 'activities/webhooks.ts',
    edits: [
      [
        `failpoint('webhook.before-send');`,
        `const sent = { errorCode: null, responseStatusCode: 200, responseTimeMs: 1, responseBodyExcerpt: '' };
    const ended = { entityId: deliveryId, outcome: { result: 'SUCCESS' }, at } as const;
    await completeCall(deps, deliveryTransition(sent), call, ended);
      failpoint('webhook.before-send');`,
      ],
    ],
    failpoints: 'webhook.before-send=0.2',
  },
  {
    // Refund id and idempotency key are generated at the call instead of committed before it.
    name: 'provider key after the order',
    file: 'activities/payments.ts',
    edits: [
      [
        `    refundId: input.refundId,
    amount: input.refundAmount,
    key: input.key,`,
        `    refundId: crypto.randomUUID(),
    amount: input.refundAmount,
    key: crypto.randomUUID(),`,
      ],
    ],
    failpoints: 'provider.after-answer=0.3',
  },
  {
    name: 'refund again without looking',
    file: 'domain/payments/refundMachine.ts',
    edits: [
      [
        `return next(ended, call.name === 'refundPayment' ? { isAnswered } : {}, 'findRefund', at + readGap(call.n + 1));`,
        `return next(ended, { isAnswered, keySeq: current.refund!.keySeq + 1 }, 'refundPayment', at + readGap(call.n + 1));`,
      ],
    ],
    failpoints: 'provider.after-answer=0.3',
  },
];

/** The same for the books of a random shop: nothing is killed. */
export const BOOK_SABOTAGES: readonly Sabotage[] = [
  {
    name: 'a conditional write undoes sales',
    file: 'db/products/changes.ts',
    edits: [
      [
        'checkTag(ifMatch, product.version, ifMatch && sendsStock(sent) ? await lockVariants(tx, product) : null);',
        'checkTag(ifMatch, product.version, ifMatch && !sendsStock(sent) ? await lockVariants(tx, product) : null);',
      ],
    ],
    failpoints: '',
  },
  {
    name: 'the fee of a bundle goes back before its last item',
    file: 'domain/refunds/rules.ts',
    edits: [
      [
        `const { bundle, bundleRestWon, isReturn, policy } = terms;
  if (!bundle || bundleRestWon > 0) return NOTHING;`,
        `const { bundle, isReturn, policy } = terms;
  if (!bundle) return NOTHING;`,
      ],
    ],
    failpoints: '',
  },
];

/** A copy of the tree with the fault. Throws when the fault is none of today's code: it would be caught because nothing works. */
export function sabotaged({ file, edits }: Sabotage): string {
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
    'bench',
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  let source = readFileSync(join(copy, file), 'utf8');
  for (const [find, put] of edits) {
    if (!source.includes(find)) throw new Error(`the sabotage does not fit ${file} any more`);
    source = source.replace(find, () => put);
  }
  writeFileSync(join(copy, file), source);
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '--singleThreaded', '-p', copy], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the sabotage of ${file} does not compile:\n${stdout}`);
  return copy;
}
