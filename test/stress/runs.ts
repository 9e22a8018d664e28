/** The full counts of what `npm test` does a few times: each run of `npm run stress`. docs/operations.md lists them. */
export interface StressRun {
  /** One of package.json's scripts. */
  readonly script: 'faults' | 'deliveries' | 'test' | 'test:units';
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** About as long as it takes on two cores. */
  readonly minutes: number;
}

const suites =
  (script: 'test' | 'test:units') =>
  (minutes: number, env: StressRun['env'], ...args: readonly string[]): StressRun => ({ script, args, env, minutes });
const system = suites('test');
const units = suites('test:units');

/** Model-based claims: 500 sequences at a time. */
const CLAIM_SEEDS = [19, 2019, 4019, 6019];

export const STRESS_RUNS: readonly StressRun[] = [
  units(4, { POINT_SEQUENCES: '20000' }, 'test/units/points/properties'),
  units(1, { FLOW_GRAPHS: '1000' }, 'test/units/flows/properties', 'test/units/flows/replay'),
  units(9, { REFUND_CASES: '20000' }, 'test/units/refunds'),
  system(2, { POINT_SEQUENCES_STORED: '500' }, 'test/system/points/ledger'),
  system(2, { POINT_STEPS: '365' }, 'test/system/points/expiry'),
  system(2, { CLAIM_PAYMENTS: '100', RACE_ROUNDS: '200' }, 'test/system/claims/races'),
  system(3, { RACE_ROUNDS: '100' }, 'test/system/approvals/races'),
  system(4, { RACE_ROUNDS: '200' }, 'test/system/orders/races'),
  system(7, { POINT_ROUNDS: '100' }, 'test/system/points/races'),
  system(5, { WITHDRAWAL_ROUNDS: '100' }, 'test/system/customers/races'),
  system(5, { STOCK_BUYERS: '500', STOCK_UNITS: '100', STOCK_ROUNDS: '20' }, 'test/system/runs/concurrency'),
  system(5, { STOCK_ROUNDS: '20' }, 'test/system/products/nights', 'test/system/products/options'),
  system(4, { PAYMENT_ATTEMPTS: '100' }, 'test/system/payments/credentialRaces'),
  system(3, { OUTAGE_PAYMENTS: '20' }, 'test/system/payments/outages'),
  system(2, { COSTLY_ITEMS: '30' }, 'test/system/flows/costly'),
  system(5, { SALES_CASES: '1000' }, 'test/system/salesReport/sums'),
  system(5, { VISIT_CASES: '1000' }, 'test/system/visits/sums'),
  system(5, { CLAIM_QUOTES: '500' }, 'test/system/claims/quotes'),
  system(10, { APPROVAL_CASES: '400' }, 'test/system/approvals/between'),
  system(3, { LARGE_READERS: '12' }, 'test/system/limits/answers'),
  system(2, { AGENT_CHANGES: '500' }, 'test/system/contract/agentMatrix'),
  system(10, { SHAPE_RUNS: '50' }, 'test/system/contract/shapes'),
  system(1, { POLICY_BODIES: 'all' }, 'test/system/contract/policies'),
  system(2, { FOREIGN_VALUES: 'all' }, 'test/system/contract/foreignPlaces'),
  system(5, { FUZZ_INPUTS: '20000' }, 'test/system/contract/inputs'),
  system(15, { FUZZ_PAIRS: '45000' }, 'test/system/identity/differential'),
  system(10, { REFRESH_KILLS: '100' }, 'test/system/identity/crash'),
  system(3, { OPEN_RUNS: '500000' }, 'test/system/db/overdue'),
  system(8, { FLOW_RUNS: '1000' }, 'test/system/flows/randomRuns'),
  ...CLAIM_SEEDS.map((seed) => system(28, { CLAIM_SEED: String(seed), CLAIM_SEQUENCES: '500' }, 'test/system/claims/model')),
  system(3, { TERMINATIONS: 'all' }, 'test/system/runs/termination'),
  system(7, { FLOW_ITEMS: '1000' }, 'test/faults/migration'),
  system(12, { CLAIM_KILLS: 'all', PAYMENT_KILLS: 'all' }, 'test/faults/paymentFailpoints'),
  { script: 'deliveries', args: ['--events', '10000', '--rate', '50', '--kills', '50'], env: {}, minutes: 8 },
  { script: 'faults', args: ['--books', '--actions', '600', '--actors', '6', '--seed', '1'], env: {}, minutes: 15 },
  { script: 'faults', args: ['--kills', '100', '--buyers', '6'], env: {}, minutes: 60 },
];

/** As a person would type it. */
export function commandOf({ script, args, env }: StressRun): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...variables, script === 'test' ? 'npm test' : `npm run ${script}`, '--', ...args].join(' ');
}

/**
 * The run to start next: the first that has not ended and, by the time that it takes, ends within the budget. Where none fits and nothing
 * was run yet, the first that has not ended, so that every call comes further. Undefined: nothing is left, or nothing fits.
 */
export function nextRun(
  left: readonly StressRun[],
  { minutesLeft, isFirst }: { minutesLeft: number; isFirst: boolean },
): StressRun | undefined {
  return left.find(({ minutes }) => minutes <= minutesLeft) ?? (isFirst ? left[0] : undefined);
}
