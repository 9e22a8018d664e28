/** The database's roles: which there are, what holds for their sessions, and what a process makes sure of before it works as one. */
import { type Client, escapeLiteral } from 'pg';
import { type Login, ROLE_SETTINGS, type Settings } from './kernel/connection.ts';

/** Where processes log in, as which role, with which password. A URL without a password leaves the role's as it is. */
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
 * `sangjeom_app` and `sangjeom_relay` log in; `sangjeom_lookup` and `sangjeom_sweeper` only own functions; as `sangjeom_operator` the owner's commands
 * look into every store. None bypasses row security. The owner may become each of them, and needs CREATEROLE for making them.
 */
export async function keepRoles(owner: Client, logins: Logins | null): Promise<void> {
  const passwords: Readonly<Record<Login, string | null>> = {
    sangjeom_app: logins && passwordIn(logins.appDatabaseUrl, 'sangjeom_app', 'APP_DATABASE_URL'),
    sangjeom_relay: logins && passwordIn(logins.relayDatabaseUrl, 'sangjeom_relay', 'RELAY_DATABASE_URL'),
  };
  for (const [role, password] of Object.entries(passwords)) {
    await keepRole(owner, role, 'LOGIN');
    if (password !== null) await owner.query(`ALTER ROLE ${role} PASSWORD ${escapeLiteral(password)}`);
  }
  for (const role of [...OWNERS_OF_FUNCTIONS, 'sangjeom_operator']) await keepRole(owner, role, 'NOLOGIN');
  for (const [role, settings] of Object.entries(ROLE_SETTINGS)) await keepSettings(owner, role, settings);
  for (const role of OWNERS_OF_FUNCTIONS) await owner.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
}

function passwordIn(text: string, role: Login, variable: string): string | null {
  const url = new URL(text);
  if (decodeURIComponent(url.username) !== role) throw new Error(`${variable} must log in as ${role}.`);
  return url.password === '' ? null : decodeURIComponent(url.password);
}

async function keepRole(owner: Client, role: string, login: 'LOGIN' | 'NOLOGIN'): Promise<void> {
  const { rows } = await owner.query<Attributes>('SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = $1', [role]);
  if (!rows[0]) await owner.query(`CREATE ROLE ${role} ${login}`);
  // Only a superuser may say so, and only where it is not so.
  else if (rows[0].rolsuper || rows[0].rolbypassrls) await owner.query(`ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS`);
  await owner.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  // Migrations define functions that are these roles' own; the others are become on purpose, never by the way.
  const isOurs = OWNERS_OF_FUNCTIONS.includes(role);
  const { rows: member } = await owner.query<{ is: boolean }>(
    `SELECT pg_has_role(current_user, $1, 'SET') AND ($2 OR pg_has_role(current_user, $1, 'USAGE')) AS is`,
    [role, !isOurs],
  );
  if (!member[0]!.is) await owner.query(`GRANT ${role} TO CURRENT_USER WITH INHERIT ${isOurs}, SET TRUE`);
}

/** They hold for every session that the role opens from now on (X18). What is as it should be is not written again. */
async function keepSettings(owner: Client, role: string, wanted: Settings): Promise<void> {
  const { rows } = await owner.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting WHERE setrole = $1::regrole AND setdatabase = 0`,
    [role],
  );
  const known = new Set(rows.map(({ setting }) => setting));
  for (const [name, value] of Object.entries(wanted))
    if (!known.has(`${name}=${value}`)) await owner.query(`ALTER ROLE ${role} SET ${name} = ${escapeLiteral(value)}`);
}

interface Seen extends Attributes {
  readonly name: string;
  readonly owns: boolean;
  readonly idle_timeout: string;
}
const LOOK = `SELECT current_user::text AS name, rolsuper, rolbypassrls,
    EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
      AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns,
    current_setting('idle_in_transaction_session_timeout') AS idle_timeout
  FROM pg_roles WHERE rolname = current_user`;

/**
 * Before a process works: it must have logged in as the role, which row security binds (no superuser, no BYPASSRLS, owner of no
 * table) and whose sessions end when nobody is left (X18, X19). Throws what is wrong and names the variable.
 */
export async function checkLogin(query: (text: string) => Promise<readonly object[]>, role: Login, variable: string): Promise<void> {
  const [seen] = (await query(LOOK)) as readonly Seen[];
  const refuse = (why: string) => {
    throw new Error(`${variable} must log in as ${role}: ${seen!.name} ${why}.`);
  };
  if (seen!.rolsuper) refuse('is a superuser');
  if (seen!.rolbypassrls) refuse('bypasses row-level security');
  if (seen!.owns) refuse('owns tables');
  if (seen!.name !== role) refuse('is another role');
  if (seen!.idle_timeout === '0') throw new Error(`Sessions of ${role} have no time limits: run \`npm run migrate\` and start again.`);
}
