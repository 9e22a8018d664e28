/**
 * SECURITY DEFINER with a safe search_path. Without pg_temp in the path, Postgres searches the session's temporary objects first: the
 * caller could shadow a table with a temporary view, which would be read with the rights of the function's owner. Named last, they shadow
 * nothing.
 */
export const DEFINER = 'SECURITY DEFINER SET search_path = public, pg_temp';

const isOwn = `store_id = current_setting('app.store_id', true)`;
/** Makes a table a tenant table: forced row-level security by `app.store_id`, and the app role's rights. */
export const tenantTable = (table: string, rights = 'SELECT, INSERT, UPDATE, DELETE'): string[] => [
  `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
  `CREATE POLICY tenant ON ${table} USING (${isOwn}) WITH CHECK (${isOwn})`,
  `GRANT ${rights} ON ${table} TO sangjeom_app`,
];

/**
 * A lookup before the tenant is known: a SECURITY DEFINER function per key, owned by `sangjeom_lookup`, which may read only these tables;
 * it returns the store, its clock offset and little else.
 */
export function lookup(signature: string, returns: string, body: string, callers: string): string[] {
  const named = signature.replaceAll(/\w+ (text|bytea|timestamptz|integer)/g, '$1');
  return [
    `CREATE FUNCTION ${signature} RETURNS ${returns} LANGUAGE sql STABLE ${DEFINER} AS $$ ${body} $$`,
    `ALTER FUNCTION ${named} OWNER TO sangjeom_lookup`,
    `REVOKE ALL ON FUNCTION ${named} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${named} TO ${callers}`,
  ];
}

/** Lets `sangjeom_lookup`, as which only its functions run, read a table of all stores. */
export const lookupReads = (table: string): string[] => [
  `GRANT SELECT ON ${table} TO sangjeom_lookup`,
  `CREATE POLICY lookup ON ${table} FOR SELECT TO sangjeom_lookup USING (true)`,
];
