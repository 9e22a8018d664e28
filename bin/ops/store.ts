/**
 * `npm run --silent store -- create --code acme [--name …] [--sandbox] [--live] [--owner EMAIL] [--ai-actions N]`: prints the
 * new store and its client as JSON. `--live`: real payments at the simulator, without the live gate; refused in production.
 * `npm run --silent store -- set --code acme --live-payments on|off`: the operator's switch of live payments; prints the store as JSON.
 * `npm run --silent store -- open-points --code acme`: opening balances from stdin, JSON lines `{ "email", "balance" }`; prints how many.
 * `npm run --silent store -- holidays`: Korea's holidays, JSON lines `{ "day", "name" }`; with `--year 2028`, such lines from stdin replace
 * those of the year.
 * `npm run store -- fill --code acme [--products 10000] [--variants 20]`: as many products as a large shop has.
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { MAX_VARIANTS } from '../../domain/products/options.ts';
import { ownerUrl, simulatorKeys } from './environment.ts';
import { fillStore } from './store/fill.ts';
import { listHolidays, setHolidays } from './store/holidays.ts';
import { UserError, run } from '../kernel/cli.ts';
import { switchLivePayments } from './store/livePayments.ts';
import { makeStore } from './store/make.ts';
import { openPoints } from './store/openPoints.ts';

const options = {
  code: { type: 'string' },
  name: { type: 'string' },
  sandbox: { type: 'boolean', default: false },
  live: { type: 'boolean', default: false },
  'live-payments': { type: 'string' },
  owner: { type: 'string' },
  'ai-actions': { type: 'string' },
  products: { type: 'string', default: '10000' },
  variants: { type: 'string', default: '20' },
  year: { type: 'string' },
} as const;
const parse = () => parseArgs({ allowPositionals: true, options });
type Values = ReturnType<typeof parse>['values'];

const print = (result: object): boolean => process.stdout.write(`${JSON.stringify(result)}\n`);

const commands: Readonly<Record<string, (code: string, values: Values) => Promise<void>>> = {
  async fill(code, { products: wantedProducts, variants: wantedVariants }) {
    const [products, variants] = [Number(wantedProducts), Number(wantedVariants)];
    if (!(products > 0 && variants > 0 && variants <= MAX_VARIANTS))
      throw new UserError(`At least one product, and 1 to ${MAX_VARIANTS} variants of each.`);
    await fillStore(ownerUrl(), { code, products, variants }, (line) => process.stderr.write(`${line}\n`));
  },
  async set(code, values) {
    print(await switchLivePayments(ownerUrl(), code, values['live-payments']));
  },
  async 'open-points'(code) {
    print(await openPoints(ownerUrl(), code, await text(process.stdin)));
  },
  async create(code, { name = code, sandbox, live, owner = null, 'ai-actions': aiActions }) {
    const keys = simulatorKeys();
    if (live && keys === null)
      throw new UserError('--live needs a system whose payment provider is the simulator: elsewhere its owner goes live.');
    const request = { code, name, sandbox, live, owner, withProduct: false, aiActionsLimit: aiActionsOf(aiActions) };
    print(await makeStore(ownerUrl(), request, keys));
  },
};

/** Korea's holidays, which are those of every store. */
async function holidays({ year }: Values): Promise<void> {
  if (year === undefined) for (const day of await listHolidays(ownerUrl())) print(day);
  else print(await setHolidays(ownerUrl(), year, await text(process.stdin)));
}

/** The monthly limit of AI actions; null when it is not given. */
function aiActionsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new UserError('AI actions a month are a whole number from 0 to 999,999,999.');
  return Number(text);
}

await run(async () => {
  const { positionals, values } = parse();
  if (positionals[0] === 'holidays') return holidays(values);
  const command = Object.hasOwn(commands, positionals[0] ?? '') ? commands[positionals[0]!] : undefined;
  if (!command || !values.code)
    throw new UserError(
      'Usage: npm run store -- create --code CODE [--name NAME] [--sandbox] [--live] [--owner EMAIL] [--ai-actions N], ' +
        'set --code CODE --live-payments on|off, open-points --code CODE, holidays [--year YEAR], or fill --code CODE [--products N] [--variants N]',
    );
  await command(values.code, values);
});
