/** The database's roles: their creation and settings, and the check of a process's own login. */
import { fragment, identifier, literal, statement } from './kernel/sql.ts';
import { type Client } from 'pg';
import { type Login, ROLE_SETTINGS, type Settings } from './kernel/connection.ts';

/** The URLs with which processes log in. A URL without a password leaves the role's password unchanged. */
export interface Logins {
  readonly appDatabaseUrl: string;
  readonly relayDatabaseUrl: string;
}

const OWNERS_OF_FUNCTIONS: readonly string[] = ['sangjeom_lookup', 'sangjeom_sweeper'];

interface Attributes {
  readonly rolsuper: boolean;
  readonly rolbypassrls: boolean;
}

/**
 * Creates and configures the roles. `sangjeom_app` and `sangjeom_relay` log in; `sangjeom_lookup` and `sangjeom_sweeper` only own
 * functions; as `sangjeom_operator` operators' commands read every store. None bypasses row-level security. The owner may SET ROLE to each,
 * and needs CREATEROLE to create them.
 */
export async function ensureRoles(owner: Client, logins: Logins | null): Promise<void> {
  const passwords: Readonly<Record<Login, string | null>> = {
    sangjeom_app: logins && passwordIn(logins.appDatabaseUrl, 'sangjeom_app', 'APP_DATABASE_URL'),
    sangjeom_relay: logins && passwordIn(logins.relayDatabaseUrl, 'sangjeom_relay', 'RELAY_DATABASE_URL'),
  };
  for (const [role, password] of Object.entries(passwords)) {
    await ensureRole(owner, role, 'LOGIN');
    if (password !== null) await owner.query(statement`ALTER ROLE ${identifier(role)} PASSWORD ${literal(password)}`);
  }
  for (const role of [...OWNERS_OF_FUNCTIONS, 'sangjeom_operator']) await ensureRole(owner, role, 'NOLOGIN');
  for (const [role, settings] of Object.entries(ROLE_SETTINGS)) await ensureSettings(owner, role, settings);
  for (const role of OWNERS_OF_FUNCTIONS) await owner.query(statement`GRANT CREATE ON SCHEMA public TO ${identifier(role)}`);
}

function passwordIn(text: string, role: Login, variable: string): string | null {
  const url = new URL(text);
  if (decodeURIComponent(url.username) !== role) throw new Error(`${variable} must log in as ${role}.`);
  return url.password === '' ? null : decodeURIComponent(url.password);
}

async function ensureRole(owner: Client, role: string, login: 'LOGIN' | 'NOLOGIN'): Promise<void> {
  const { rows } = await owner.query<Attributes>('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = $1', [role]);
  if (!rows[0]) await owner.query(statement`CREATE ROLE ${identifier(role)} ${login === 'LOGIN' ? fragment`LOGIN` : fragment`NOLOGIN`}`);
  // Only a superuser may do this, so that it is done only where necessary.
  else if (rows[0].rolsuper || rows[0].rolbypassrls) await owner.query(statement`ALTER ROLE ${identifier(role)} NOSUPERUSER NOBYPASSRLS`);
  await owner.query(statement`GRANT USAGE ON SCHEMA public TO ${identifier(role)}`);
  // Migrations create functions owned by some roles, for which membership is inherited; the others require SET ROLE.
  const isOurs = OWNERS_OF_FUNCTIONS.includes(role);
  const { rows: member } = await owner.query<{ is_member: boolean }>(
    `SELECT pg_has_role(current_user, $1, 'SET') AND ($2 OR pg_has_role(current_user, $1, 'USAGE')) AS is_member`,
    [role, !isOurs],
  );
  if (!member[0]!.is_member)
    await owner.query(
      statement`GRANT ${identifier(role)} TO CURRENT_USER WITH INHERIT ${isOurs ? fragment`TRUE` : fragment`FALSE`}, SET TRUE`,
    );
}

/** Stores settings of a role, for every session that it opens from now on (X18); skips those that are set already. */
async function ensureSettings(owner: Client, role: string, wanted: Settings): Promise<void> {
  const { rows } = await owner.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting WHERE setrole = $1::regrole AND setdatabase = 0`,
    [role],
  );
  const known = new Set(rows.map(({ setting }) => setting));
  for (const [name, value] of Object.entries(wanted))
    if (!known.has(`${name}=${value}`))
      await owner.query(statement`ALTER ROLE ${identifier(role)} SET ${identifier(name)} = ${literal(value)}`);
}

interface LoginRow extends Attributes {
  readonly name: string;
  readonly owns: boolean;
  readonly idle_timeout: string;
}
const LOGIN_QUERY = `SELECT current_user::text AS name, rolsuper, rolbypassrls,
    EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
      AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns,
    current_setting('idle_in_transaction_session_timeout') AS idle_timeout
  FROM pg_roles WHERE rolname = current_user`;

/**
 * Checks at the start of a process that it is logged in as this role, that row-level security applies to it (no superuser, no BYPASSRLS, no
 * owned tables) and that its sessions have timeouts. Throws an error that names the variable.
 */
export async function checkLogin(query: (text: string) => Promise<readonly object[]>, role: Login, variable: string): Promise<void> {
  const [login] = (await query(LOGIN_QUERY)) as readonly LoginRow[];
  const refuse = (why: string) => {
    throw new Error(`${variable} must log in as ${role}: ${login!.name} ${why}.`);
  };
  if (login!.rolsuper) refuse('is a superuser');
  if (login!.rolbypassrls) refuse('bypasses row-level security');
  if (login!.owns) refuse('owns tables');
  if (login!.name !== role) refuse('is another role');
  if (login!.idle_timeout === '0') throw new Error(`Sessions of ${role} have no time limits: run \`npm run migrate\` and start again.`);
}
