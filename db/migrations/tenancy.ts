/**
 * How a function is made that has more rights than its caller. Postgres looks for tables among a session's temporary ones first, unless
 * the path names them: the caller could put a view of its own in a table's place, and have it read as the function's owner. Named last,
 * they hide nothing.
 */
export const DEFINER = 'SECURITY DEFINER SET search_path = public, pg_temp';

const isOwn = `store_id = current_setting('app.store_id', true)`;
/** The SQL that makes a table a tenant's own: forced row-level security, and the app role's rights. */
export const tenantTable = (table: string, rights = 'SELECT, INSERT, UPDATE, DELETE'): string[] => [
  `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
  `CREATE POLICY tenant ON ${table} USING (${isOwn}) WITH CHECK (${isOwn})`,
  `GRANT ${rights} ON ${table} TO sangjeom_app`,
];

/**
 * A lookup before the tenant is known: one SECURITY DEFINER function per key, owned by `sangjeom_lookup`, which may
 * read only these tables and answers the store, its clock and a status.
 */
export const lookup = (signature: string, returns: string, body: string, callers: string): string[] => [
  `CREATE FUNCTION ${signature} RETURNS ${returns} LANGUAGE sql STABLE ${DEFINER} AS $$ ${body} $$`,
  `ALTER FUNCTION ${signature.replaceAll(/\w+ (text|timestamptz|integer)/g, '$1')} OWNER TO sangjeom_lookup`,
  `REVOKE ALL ON FUNCTION ${signature.replaceAll(/\w+ (text|timestamptz|integer)/g, '$1')} FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION ${signature.replaceAll(/\w+ (text|timestamptz|integer)/g, '$1')} TO ${callers}`,
];

/** Lets `sangjeom_lookup` read a table of all stores; only its functions ever do. */
export const lookupReads = (table: string): string[] => [
  `GRANT SELECT ON ${table} TO sangjeom_lookup`,
  `CREATE POLICY lookup ON ${table} FOR SELECT TO sangjeom_lookup USING (true)`,
];
