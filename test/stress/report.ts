/** The report of `npm run stress`: Markdown, a row for each run that has ended, and the last lines of each that failed. */
export interface Outcome {
  readonly when: string;
  /** Of the code that ran; with `-dirty` where files were changed. */
  readonly commit: string;
  readonly command: string;
  readonly minutes: number;
  readonly isGreen: boolean;
  /** One line. */
  readonly summary: string;
}

const HEAD = '# Stress tests\n\n| When | Commit | Command | Minutes | Result |\n|---|---|---|---|---|\n';
const ROW = /^\| (.+?) \| (.+?) \| `(.+?)` \| (\d+) \| (green|red): (.*) \|$/;

function rowOf({ when, commit, command, minutes, isGreen, summary }: Outcome): string {
  const text = summary.replaceAll('|', '/').replaceAll(/\s+/g, ' ');
  return `| ${when} | ${commit} | \`${command}\` | ${Math.round(minutes)} | ${isGreen ? 'green' : 'red'}: ${text} |\n`;
}

/** The runs of a report, oldest first. */
export const outcomesIn = (report: string): Outcome[] =>
  report.split('\n').flatMap((line) => {
    const [, when, commit, command, minutes, color, summary] = ROW.exec(line) ?? [];
    return when === undefined
      ? []
      : [{ when, commit: commit!, command: command!, minutes: Number(minutes), isGreen: color === 'green', summary: summary! }];
  });

const FAILURES = '\n## Failures\n';
/** The same report with one more run. `output`: of a run that failed, its last lines. */
export function reportWith(report: string, outcome: Outcome, output: readonly string[] = []): string {
  const [rows = HEAD, failures = ''] = report === '' ? [HEAD] : report.split(FAILURES);
  const more = outcome.isGreen ? '' : `\n### ${outcome.when}: ${outcome.command}\n\n${output.map((line) => `    ${line}`).join('\n')}\n`;
  const all = failures + more;
  return `${rows}${rowOf(outcome)}${all === '' ? '' : `${FAILURES}${all}`}`;
}
