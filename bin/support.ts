/**
 * `npm run support -- show <workflowId>`: what Postgres and Temporal know of a run.
 * `npm run support -- reset <workflowId> [--event-id N] [--reason TEXT]`: starts it anew from a workflow task (the first).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { dataDir } from './setup/paths.ts';
import { resetRun, workflowTasks } from './setup/reset.ts';
import { Remedy, run, say } from './setup/say.ts';

interface Places {
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
}

await run(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'event-id': { type: 'string' }, reason: { type: 'string', default: 'support' } },
  });
  const [command, workflowId] = positionals;
  if (!workflowId || (command !== 'show' && command !== 'reset'))
    throw new Remedy('Usage: npm run support -- show|reset <workflowId> [--event-id N] [--reason TEXT]');
  const { databaseUrl, temporal } = places();
  const client = new Client({ connection: await Connection.connect({ address: temporal.address }), namespace: temporal.namespace });
  if (command === 'reset') {
    const eventId = Number(values['event-id'] ?? (await workflowTasks(client, workflowId))[0]);
    say(`Reset to event ${eventId}: new run ${await resetRun(client, workflowId, eventId, values.reason)}.`);
  }
  process.stdout.write(`${JSON.stringify(await describe(client, databaseUrl, workflowId), null, 2)}\n`);
  await client.connection.close();
});

function places(): Places {
  const [databaseUrl, address] = [process.env['DATABASE_URL'], process.env['TEMPORAL_ADDRESS']];
  if (databaseUrl && address) return { databaseUrl, temporal: { address, namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default' } };
  try {
    return JSON.parse(readFileSync(join(dataDir(), 'dev.json'), 'utf8')) as Places;
  } catch {
    throw new Remedy('Start the system with `npm start` first, or set DATABASE_URL and TEMPORAL_ADDRESS.');
  }
}

async function describe(client: Client, databaseUrl: string, workflowId: string): Promise<object> {
  const postgres = new Postgres({ connectionString: databaseUrl });
  await postgres.connect();
  const { rows } = await postgres.query('SELECT * FROM run WHERE workflow_id = $1', [workflowId]);
  await postgres.end();
  return { run: (rows[0] as unknown) ?? null, workflow: await workflowOf(client, workflowId) };
}

async function workflowOf(client: Client, workflowId: string): Promise<object | null> {
  try {
    const { status, runId, historyLength, startTime, raw } = await client.workflow.getHandle(workflowId).describe();
    const pending = (raw.pendingActivities ?? []).map((activity) => ({
      activity: activity.activityType?.name,
      attempt: activity.attempt,
      lastFailure: activity.lastFailure?.message ?? null,
    }));
    return { status: status.name, runId, historyLength, startTime, pending };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
