/** What operators do to payment settings: the first keys of a development store, and the switch of live payments (Y12). */
import { ENVIRONMENTS, type Environment } from '../../domain/payments/providers.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { insertSet } from './credentials.ts';
import { PaymentSettingsEntity } from './entities.ts';

/** The simulator's keys of TossPayments. */
const simulatorSet = (environment: Environment) => {
  const prefix = environment.toLowerCase();
  return { provider: 'tosspayments', environment, clientKey: `${prefix}_ck_sangjeom`, secretKey: `${prefix}_sk_sangjeom` } as const;
};

/** Gives a new development store the simulator's verified keys; `live`: of both environments, and real payments without the live gate. */
export async function useSimulator(tx: Tx, keyring: Keyring, live: boolean): Promise<void> {
  for (const environment of live ? ENVIRONMENTS : (['TEST'] as const))
    await insertSet(tx, keyring, { set: simulatorSet(environment), status: 'VERIFIED', byName: null });
  await tx.em.nativeUpdate(PaymentSettingsEntity, { storeId: tx.storeId }, { livePayments: true, sandboxMode: !live });
}

/** Switched off while live, new payments are refused; running ones and refunds go on. */
export const setLivePayments = ({ em, storeId }: Tx, livePayments: boolean): Promise<number> =>
  em.nativeUpdate(PaymentSettingsEntity, { storeId }, { livePayments });
