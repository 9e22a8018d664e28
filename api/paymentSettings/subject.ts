import { readSettings } from '../../db/paymentSettings/queries.ts';
import { lockSettings } from '../../db/paymentSettings/commands.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { PROVIDERS, type ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';
import { Provider, viewProvider } from './schemas.ts';

const OF_PROVIDER = [
  'version',
  'updatedAt',
  ...['TEST', 'LIVE'].flatMap((name) => [`credentials.${name}.verifiedAt`, `credentials.${name}.updatedAt`]),
];
export const PAYMENT_SETTINGS: Subject = shownBy(get, {
  type: 'PAYMENT_SETTINGS',
  lock: lockSettings,
  given: ['version', 'updatedAt', ...OF_PROVIDER.map((path) => `providers[].${path}`)],
});

/** The provider that a path names; PAYMENT_PROVIDER_NOT_FOUND. */
export function providerNamed(name: string): ProviderName {
  const known = PROVIDERS.find((one) => one === name);
  if (!known) throw new Fault('PAYMENT_PROVIDER_NOT_FOUND');
  return known;
}

/** A provider as GET shows it among the settings. */
export async function readProvider(tx: Tx, name: string, publicUrl: string) {
  const provider = providerNamed(name);
  const settings = await readSettings(tx);
  return viewProvider(
    settings,
    settings.providers.find((one) => one.provider === provider)!,
    publicUrl,
  );
}

const provider: Subject = {
  type: 'PAYMENT_PROVIDER',
  idField: 'provider',
  listing: { given: ['provider', 'methods[].provider', ...OF_PROVIDER] },
  data: Provider,
  lock: lockSettings,
  read: (tx, name, { deps }) => readProvider(tx, name, deps.config.publicUrl),
};
export const PAYMENT_PROVIDER: Subject = provider;
/** The same where the path itself names it. */
export const providerSubject = (id: ProviderName): Subject => ({ ...provider, idField: null, id });
