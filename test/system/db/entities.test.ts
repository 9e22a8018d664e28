/** Entities and the database's tables agree: raw SQL and MikroORM work with the same columns. */
import { expect, test } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { openOrm } from '../../../db/orm.ts';
import { storeId, time } from '../../../db/kernel/columns.ts';
import { createDatabase, migratedDatabase } from '../../kernel/database.ts';

interface Column {
  /** As Postgres' `format_type` names it. */
  readonly type: string;
  readonly nullable: boolean;
  /** The expression, `identity`, or null. An entity may leave a default of the database unnamed, and then writes the column itself. */
  readonly default: string | null;
}
interface Table {
  readonly table: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly primaryKey: readonly string[];
}
interface Mapping extends Table {
  readonly entity: string;
}

/** The tables of the schema, without partitions and MikroORM's own table. */
async function tablesOf(url: string): Promise<Table[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Table>(
      `SELECT c.relname AS table,
         (SELECT json_object_agg(a.attname, json_build_object('type', format_type(a.atttypid, a.atttypmod), 'nullable', NOT a.attnotnull,
            'default', CASE WHEN a.attidentity <> '' THEN 'identity' ELSE pg_get_expr(d.adbin, d.adrelid) END))
          FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
         (SELECT json_agg(a.attname ORDER BY k.position)
          FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY k (attnum, position)
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
          WHERE i.indrelid = c.oid AND i.indisprimary) AS "primaryKey"
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.relname <> 'mikro_orm_migrations' ORDER BY c.relname COLLATE "C"`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Postgres' names of the types that MikroORM calls something else. Types are compared exactly, with one exception: `p.string()` without a
 * length, MikroORM's varchar(255), stands for text, because nothing here creates tables from entities.
 */
const POSTGRES_NAMES: Readonly<Record<string, string>> = {
  'varchar(255)': 'text',
  int: 'integer',
  bigserial: 'bigint',
  'timestamptz(3)': 'timestamp(3) with time zone',
  'timestamptz(3)[]': 'timestamp(3) with time zone[]',
};

function mappingsOf(orm: MikroORM): Mapping[] {
  return [...orm.getMetadata().getAll().values()].map((meta) => ({
    entity: meta.className,
    table: meta.tableName,
    columns: Object.fromEntries(
      meta.props.map((prop) => [
        prop.fieldNames.join(),
        {
          type: prop.columnTypes.map((type) => POSTGRES_NAMES[type] ?? type).join(),
          nullable: prop.nullable === true,
          default: prop.autoincrement === true ? 'identity' : (prop.defaultRaw ?? null),
        },
      ]),
    ),
    primaryKey: meta.getPrimaryProps().flatMap((prop) => prop.fieldNames),
  }));
}

/** Every way in which entities and tables disagree. */
function differences(database: readonly Table[], mappings: readonly Mapping[]): string[] {
  const tables = new Set(database.map(({ table }) => table));
  return [
    ...mappings.filter(({ table }) => !tables.has(table)).map(({ entity, table }) => `${table}: of ${entity}, not in the database`),
    ...database.flatMap((known) => {
      const [mapping, ...others] = mappings.filter(({ table }) => table === known.table);
      if (!mapping) return [`${known.table}: no entity`];
      if (others.length > 0)
        return [
          `${known.table}: of ${[mapping, ...others]
            .map(({ entity }) => entity)
            .toSorted()
            .join(' and ')}`,
        ];
      return differencesOf(known, mapping);
    }),
  ];
}

function differencesOf({ table, columns, primaryKey }: Table, mapping: Mapping): string[] {
  const names = [...new Set([...Object.keys(columns), ...Object.keys(mapping.columns)])];
  const [key, mappedKey] = [primaryKey.join(', '), mapping.primaryKey.join(', ')];
  return [
    ...names.flatMap((name) =>
      columnDifferences(columns[name], mapping.columns[name]).map((difference) => `${table}.${name}: ${difference}`),
    ),
    ...(key === mappedKey ? [] : [`${table}: primary key (${key}) in the database, (${mappedKey}) in the entity`]),
  ];
}

function columnDifferences(column: Column | undefined, mapped: Column | undefined): string[] {
  if (!column) return ['in the entity, not in the database'];
  if (!mapped) return ['in the database, not in the entity'];
  const nullable = column.nullable ? 'nullable in the database, not in the entity' : 'nullable in the entity, not in the database';
  return [
    ...(column.type === mapped.type ? [] : [`${column.type} in the database, ${mapped.type} in the entity`]),
    ...(column.nullable === mapped.nullable ? [] : [nullable]),
    ...(mapped.default === null || column.default === mapped.default
      ? []
      : [`default ${column.default ?? 'absent'} in the database, ${mapped.default} in the entity`]),
  ];
}

test('every table has one entity with its columns, their types, nullability and defaults, and its primary key', async () => {
  const url = await migratedDatabase('entities');
  const orm = await openOrm(url, 1);
  try {
    const [tables, mappings] = [await tablesOf(url), mappingsOf(orm)];
    expect(tables.map(({ table }) => table)).toEqual(expect.arrayContaining(['auth_code', 'event', 'orders', 'temporal_namespace']));
    expect(tables.map(({ table }) => table)).not.toContain('event_first');
    expect(differences(tables, mappings)).toEqual([]);
  } finally {
    await orm.close();
  }
}, 60_000);

test('an entity that differs from its table in anything is reported', async () => {
  const url = await createDatabase('entities');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE TABLE good (
      store_id text, id bigint GENERATED ALWAYS AS IDENTITY, name text, n integer NOT NULL DEFAULT 1, at timestamptz(3)[] NOT NULL,
      PRIMARY KEY (store_id, id));
    CREATE TABLE wrong (
      store_id text, id text, code varchar(20) NOT NULL, hold jsonb, at timestamptz NOT NULL, n smallint NOT NULL, total bigint NOT NULL,
      is_new boolean NOT NULL DEFAULT true, made text NOT NULL, later text, PRIMARY KEY (store_id, id));
    CREATE TABLE twofold (id text PRIMARY KEY);
    CREATE TABLE forgotten (id text PRIMARY KEY);
    CREATE TABLE parted (id text PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE parted_rest PARTITION OF parted DEFAULT`);
  await client.end();
  const one = (name: string, tableName: string) => defineEntity({ name, tableName, properties: { id: p.string().primary() } });
  const good = defineEntity({
    name: 'Good',
    tableName: 'good',
    properties: {
      storeId: storeId(),
      id: p.bigint('number').primary().autoincrement(),
      name: p.string().nullable(),
      n: p.integer(),
      at: p.array().columnType('timestamptz(3)[]'),
    },
  });
  const wrong = defineEntity({
    name: 'Wrong',
    tableName: 'wrong',
    properties: {
      storeId: storeId(),
      id: p.string(),
      code: p.string(),
      hold: p.json<object>(),
      at: time(),
      n: p.integer(),
      total: p.integer().default(0),
      isNew: p.boolean().default(false),
      made: p.string().nullable(),
      added: p.string(),
    },
  });
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [good, wrong, one('First', 'twofold'), one('Second', 'twofold'), one('Parted', 'parted'), one('Gone', 'gone')],
    discovery: { checkDuplicateTableNames: false },
  });
  try {
    expect(differences(await tablesOf(url), mappingsOf(orm)).toSorted()).toEqual(
      [
        'forgotten: no entity',
        'gone: of Gone, not in the database',
        'twofold: of First and Second',
        'wrong: primary key (store_id, id) in the database, (store_id) in the entity',
        'wrong.added: in the entity, not in the database',
        'wrong.at: timestamp with time zone in the database, timestamp(3) with time zone in the entity',
        'wrong.code: character varying(20) in the database, text in the entity',
        'wrong.hold: nullable in the database, not in the entity',
        'wrong.is_new: default true in the database, false in the entity',
        'wrong.later: in the database, not in the entity',
        'wrong.made: nullable in the entity, not in the database',
        'wrong.n: smallint in the database, integer in the entity',
        'wrong.total: bigint in the database, integer in the entity',
        'wrong.total: default absent in the database, 0 in the entity',
      ].toSorted(),
    );
  } finally {
    await orm.close();
  }
}, 60_000);
