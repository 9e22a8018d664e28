/** The commands of `npm run support`. */
import { parseArgs } from 'node:util';
import { koreanOf } from '../../../domain/kernel/time.ts';
import { UserError } from '../../kernel/cli.ts';
import { connect, isDone, type SystemAddress, type RunRow, type Support } from './context.ts';
import { explain, type Explanation } from './explain.ts';
import { find } from './find.ts';
import { exportPersonalData } from './personalData.ts';
import { points } from './points.ts';
import { replay } from './replay.ts';
import { resetRun, workflowTasks } from './reset.ts';
import { retry } from './retry.ts';

interface Arguments {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly reason: string;
}
/** A result as JSON, and the same as text. */
interface Answer {
  readonly json: unknown;
  readonly words: readonly string[];
}

const explanationLines = (explanations: readonly Explanation[]): string[] =>
  explanations.flatMap(({ workflowId, storeCode, words }) => [`${workflowId} (${storeCode})`, ...words.map((line) => `  ${line}`)]);

/** The first workflow task of a run; a run that waits for a person from the start has none. */
async function firstTask(support: Support, workflowId: string): Promise<number> {
  const [first] = await workflowTasks(support.temporal, workflowId);
  if (first === undefined) throw new UserError(`${workflowId} has done nothing yet: there is nothing to reset. \`retry\` wakes it.`);
  return first;
}

const known = async (support: Support, id: string) => {
  const runs = await find(support, id);
  if (runs.length === 0) throw new UserError(`Nothing is known by ${id}.`);
  return runs;
};

const commands: Readonly<Record<string, (support: Support, given: Arguments) => Promise<Answer>>> = {
  async find(support, { id }) {
    const runs = await known(support, id);
    const state = (row: RunRow) => {
      if (isDone(row)) return 'done';
      return row.wake_at ? `acts at ${koreanOf(row.wake_at)}` : 'waits';
    };
    return { json: runs, words: runs.map((row) => `${row.workflow_id}  ${row.store_code}  ${state(row)}`) };
  },
  async explain(support, { id }) {
    const explanations = [];
    for (const row of await known(support, id)) explanations.push(await explain(support, row));
    return { json: explanations, words: explanationLines(explanations) };
  },
  async refunds(support) {
    const refunds = await support.sql<{
      refund_id: string;
      amount_won: number;
      status: string;
      failure_code: string | null;
      payment_id: string;
    }>`SELECT refund_id, payment_id, amount_won, status, failure_code, created_at FROM refund WHERE status IN ('FAILED', 'HELD')
       ORDER BY created_at`;
    return {
      json: refunds,
      words: refunds.map((r) => `${r.refund_id}  ${r.amount_won} won  ${r.status}  ${r.failure_code ?? ''}  ${r.payment_id}`),
    };
  },
  points: (support, { id }) => points(support, id),
  async retry(support, { id }) {
    const answer = await retry(support, id);
    return { json: answer, words: [answer.done] };
  },
  async reset(support, { id, eventId, reason }) {
    const [row] = await known(support, id);
    const event = Number(eventId ?? (await firstTask(support, row!.workflow_id)));
    const runId = await resetRun(support.temporal, row!.workflow_id, event, reason);
    return { json: { workflowId: row!.workflow_id, eventId: event, runId }, words: [`Reset to event ${event}: new run ${runId}.`] };
  },
  async replay(support, { id }) {
    const [row] = await known(support, id);
    const result = await replay(support, row!.workflow_id);
    const words = result.agrees ? `${result.events} events replay without a difference.` : `It would fail: ${result.difference}`;
    return { json: { workflowId: row!.workflow_id, ...result }, words: [words] };
  },
  async 'personal-data'(support, { id }) {
    const json = await exportPersonalData(support, id);
    return { json, words: [JSON.stringify(json, null, 2)] };
  },
};

/** What a command prints. `args`: as they are typed. Throws a UserError. */
export async function answerOf(args: readonly string[], systemAddress: () => SystemAddress): Promise<string> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, 'event-id': { type: 'string' }, reason: { type: 'string', default: 'support' } },
  });
  const [name = '', id = ''] = positionals;
  const command = commands[name];
  if (!command || (id === '' && name !== 'refunds'))
    throw new UserError(
      `Usage: npm run support -- ${Object.keys(commands).join('|')} <number or id> [--json] [--event-id N] [--reason TEXT]`,
    );
  const support = await connect(systemAddress());
  try {
    const { json, words } = await command(support, { id, eventId: values['event-id'], reason: values.reason });
    return values.json ? `${JSON.stringify(json, null, 2)}\n` : `${words.join('\n')}\n`;
  } finally {
    await support.close();
  }
}
