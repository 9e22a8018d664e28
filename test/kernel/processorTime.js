import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 1000;
/** What a process is, by its command line; the first that matches. */
const KINDS = [
  ['suite', /runner\/process\.ts/],
  ['api', /api\/main\.ts/],
  ['worker', /worker\/main\.ts/],
  ['simulator', /simulator\/main\.ts/],
  ['postgres', /postgres|initdb/],
  ['temporal', /start-dev/],
  ['test server', /test-server|java/],
  ['chromium', /chrom/],
  ['jest', /jest\.js/],
];

/**
 * A reporter of Jest: the processor seconds, of user and system, of each suite and of all that runs for it, by kind of process. Linux only.
 * `PROCESSOR_TIME=1 npm test -- -w 1 test/system/flows`: with more workers than one the suites
 * that run at once share what they see. A process that lived less than a second counts as `short`.
 */
export default class ProcessorTime {
  /** Seconds by process, as last seen. */
  #seen = new Map();
  #rows = [];
  #starts = new Map();
  #timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();

  /** Seconds by kind since the run started, and of all. */
  #sample() {
    const processes = descendants(process.pid);
    for (const { pid, own } of processes) this.#seen.set(pid, { kind: this.#seen.get(pid)?.kind ?? kindOf(pid), own });
    const all = processes.reduce((sum, { own, ended }) => sum + own + ended, 0);
    const kinds = { all };
    for (const { kind, own } of this.#seen.values()) kinds[kind ?? 'other'] = (kinds[kind ?? 'other'] ?? 0) + own;
    return kinds;
  }
  onTestFileStart(test) {
    this.#starts.set(test.path, this.#sample());
  }
  onTestFileResult(test, { testResults }) {
    const [from, to] = [this.#starts.get(test.path), this.#sample()];
    const spent = Object.fromEntries(Object.entries(to).map(([kind, seconds]) => [kind, seconds - (from[kind] ?? 0)]));
    const row = { path: relative(process.cwd(), test.path), tests: `${testResults.length}`, ...spent };
    this.#rows.push(row);
    process.stderr.write(`${line(row)}\n`);
  }
  onRunComplete() {
    clearInterval(this.#timer);
    const rows = this.#rows.toSorted((a, b) => b.all - a.all);
    process.stderr.write(`\nProcessor seconds\n${rows.map(line).join('\n')}\n${line({ path: 'the whole run', ...this.#sample() })}\n`);
  }
}

function line({ path, tests = '', all, ...kinds }) {
  const known = Object.values(kinds).reduce((sum, seconds) => sum + seconds, 0);
  const parts = Object.entries({ ...kinds, short: all - known }).filter(([, seconds]) => seconds >= 0.1);
  const text = parts.toSorted(([, a], [, b]) => b - a).map(([kind, seconds]) => `${kind} ${seconds.toFixed(1)}`);
  return `${all.toFixed(1).padStart(7)} ${tests.padStart(4)}  ${path}  (${text.join(', ')})`;
}

/** Undefined at first, while a process is still a copy of its parent. */
function kindOf(pid) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return KINDS.find(([, pattern]) => pattern.test(command))?.[0];
  } catch {
    return undefined;
  }
}

/** This process and all that descend from it. `ended`: the seconds of its children that have ended. */
function descendants(root) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(read)
    .filter(Boolean);
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = all.filter(({ pid }) => pid === root);
  // The list grows while it is walked.
  for (const { pid } of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function read(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_PER_SECOND);
    return { pid: Number(pid), parent: Number(fields[1]), own: user + system, ended: endedUser + endedSystem };
  } catch {
    // It has ended meanwhile.
    return null;
  }
}
