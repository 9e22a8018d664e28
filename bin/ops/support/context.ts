/** Postgres and Temporal as support commands use them. */
import { type Sql, type SqlValue, statement } from '../../../db/kernel/sql.ts';
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { actingAs } from '../../../db/kernel/connection.ts';
import type { RunRow as NamedRow } from '../../../db/runs/rows.ts';

export interface Support {
  readonly temporal: Client;
  /** The owner's URL; queries run as the operator role. */
  readonly databaseUrl: string;
  readonly sql: Sql;
  readonly close: () => Promise<void>;
}

/** Where the system is. */
export interface SystemAddress {
  /** The owner's. */
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string };
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

export async function connect({ databaseUrl, temporal: location }: SystemAddress): Promise<Support> {
  const postgres = new Postgres({ connectionString: databaseUrl, options: actingAs('sangjeom_operator') });
  await postgres.connect();
  const temporal = new Client({ connection: await Connection.connect({ address: location.address }), namespace: location.namespace });
  return {
    temporal,
    databaseUrl,
    sql: async <Row extends object>(strings: TemplateStringsArray, ...values: readonly SqlValue[]) =>
      (await postgres.query<Row & Record<string, unknown>>(statement(strings, ...values))).rows,
    close: async () => {
      await postgres.end();
      await temporal.connection.close();
    },
  };
}
