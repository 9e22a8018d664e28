/** Rows as large as they can be stored, planted where the API would take minutes. Triggers and foreign keys do not run. */
import { Client } from 'pg';
import { underTest } from '../../../kernel/world.ts';

/** Characters of four bytes each. */
export const text = (characters: number): string => '😀'.repeat(characters);
export const imageUrl = (i: number): string => `https://i.example.com/${i}/`.padEnd(1000, 'x');
export const moment = (i: number): string => new Date(Date.UTC(2026, 10, 1) + i * 1000).toISOString();

export type Row = Readonly<Record<string, unknown>>;
export const many = (count: number, row: (i: number) => Row): Row[] => Array.from({ length: count }, (_, i) => row(i));
export class Planter {
  readonly #client: Client;
  readonly storeId: string;
  private constructor(client: Client, storeId: string) {
    this.#client = client;
    this.storeId = storeId;
  }
  static async open(storeId: string): Promise<Planter> {
    const client = new Client({ connectionString: underTest.databaseUrl });
    // The database ends with the system under test.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SET session_replication_role = replica');
    return new Planter(client, storeId);
  }
  close = (): Promise<void> => this.#client.end();
  async query(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(statement, [...values])).rows as Row[];
  }
  /** The store's first row of a table. */
  async first(table: string): Promise<Row> {
    const [found] = await this.query(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE store_id = $1 LIMIT 1`, [this.storeId]);
    if (!found) throw new Error(`No ${table}`);
    return found['row'] as Row;
  }
  async rows(table: string, rows: readonly Row[]): Promise<void> {
    const all = JSON.stringify(rows.map((row) => ({ store_id: this.storeId, ...row })));
    const columns = await this.#columnsOf(table);
    await this.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [all]);
  }
  /** The same row for each of these changes, whose first column is the id: Postgres copies the large values of the first one. */
  async alike(table: string, row: Row, [first, ...others]: readonly Row[]): Promise<void> {
    await this.rows(table, [{ ...row, ...first }]);
    const columns = await this.#columnsOf(table);
    const [[id, value] = []] = Object.entries(first!);
    await this.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_array_elements($1::jsonb) changes, LATERAL (
         SELECT made.* FROM ${table} one, jsonb_populate_record(one, changes) made WHERE one.store_id = $2 AND one.${id!} = $3) made`,
      [JSON.stringify(others), this.storeId, value],
    );
  }
  async #columnsOf(table: string): Promise<string> {
    const [{ columns }] = (await this.query(
      `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    )) as [{ readonly columns: string }];
    return columns;
  }
  /** So many rows like the first one. */
  async copies(table: string, count: number, changes: (i: number) => Row): Promise<void> {
    const first = await this.first(table);
    await this.rows(
      table,
      Array.from({ length: count }, (_, i) => ({ ...first, ...changes(i) })),
    );
  }
}
