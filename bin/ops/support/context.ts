/** Postgres and Temporal as support commands use them. */
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { actingAs } from '../../../db/kernel/connection.ts';
import type { RunRow as NamedRow } from '../../../db/runs/rows.ts';
import { ownerUrl, temporalAddress } from '../environment.ts';

export interface Support {
  readonly temporal: Client;
  /** The owner's URL; queries run as the operator role. */
  readonly databaseUrl: string;
  readonly rows: <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

/** The row of a run. */
export interface RunRow extends NamedRow {
  readonly store_code: string;
  readonly wake_at: Date | null;
  readonly loaded_at: Date | null;
  readonly done_at: Date | null;
  /** Its row was swept: it was done long ago. */
  readonly is_swept: boolean;
  readonly wakes: number;
}

export const isDone = ({ done_at: doneAt, is_swept: isSwept }: RunRow): boolean => doneAt !== null || isSwept;

export async function connect(): Promise<Support> {
  const [databaseUrl, place] = [ownerUrl(), temporalAddress()];
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
