/** What support works with: the owner's view of Postgres, and Temporal. */
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { actingAs } from '../../../db/kernel/connection.ts';
import type { WorkflowType } from '../../../workflows/kernel/messages.ts';
import { ownerUrl, temporalPlace } from '../environment.ts';

export interface Support {
  readonly temporal: Client;
  /** The owner's: what is read through it is read as the operator's role. */
  readonly databaseUrl: string;
  readonly rows: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

/** One obligation as Postgres knows it. */
export interface RunRow {
  readonly store_id: string;
  readonly store_code: string;
  readonly workflow_id: string;
  readonly workflow_type: WorkflowType;
  readonly entity_id: string;
  readonly order_no: string | null;
  readonly wake_at: Date | null;
  readonly loaded_at: Date | null;
  readonly done_at: Date | null;
  /** Done so long ago that its line is gone: what has no line has nothing to do. */
  readonly is_swept: boolean;
  readonly wakes: number;
}

export const isDone = ({ done_at: doneAt, is_swept: isSwept }: RunRow): boolean => doneAt !== null || isSwept;

export async function connect(): Promise<Support> {
  const [databaseUrl, place] = [ownerUrl(), temporalPlace()];
  const postgres = new Postgres({ connectionString: databaseUrl, options: actingAs('sangjeom_operator') });
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
