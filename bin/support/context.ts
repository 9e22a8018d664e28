/** What support works with: the owner's view of Postgres, and Temporal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import type { RunKind } from '../../workflows/kernel/obligations.ts';
import { dataDir } from '../setup/paths.ts';
import { Remedy } from '../setup/say.ts';

interface Places {
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
}
export interface Support {
  readonly temporal: Client;
  readonly databaseUrl: string;
  readonly rows: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

/** One obligation as Postgres knows it. */
export interface RunRow {
  readonly store_id: string;
  readonly store_code: string;
  readonly workflow_id: string;
  readonly kind: RunKind;
  readonly run_id: string;
  readonly order_no: string | null;
  readonly wake_at: Date | null;
  readonly loaded_at: Date | null;
  readonly done_at: Date | null;
  readonly pokes: number;
}

export async function connect(): Promise<Support> {
  const { databaseUrl, temporal: place } = places();
  const postgres = new Postgres({ connectionString: databaseUrl });
  await postgres.connect();
  const temporal = new Client({ connection: await Connection.connect({ address: place.address }), namespace: place.namespace });
  return {
    temporal,
    databaseUrl,
    rows: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await postgres.query<Row & Record<string, unknown>>(text, [...values])).rows,
    close: async () => {
      await postgres.end();
      await temporal.connection.close();
    },
  };
}

function places(): Places {
  const [databaseUrl, address] = [process.env['DATABASE_URL'], process.env['TEMPORAL_ADDRESS']];
  if (databaseUrl && address) return { databaseUrl, temporal: { address, namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default' } };
  try {
    return JSON.parse(readFileSync(join(dataDir(), 'dev.json'), 'utf8')) as Places;
  } catch {
    throw new Remedy('Start the system with `npm start` first, or set DATABASE_URL and TEMPORAL_ADDRESS.');
  }
}
