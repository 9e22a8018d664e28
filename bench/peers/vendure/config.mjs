/** Vendure as its own project template configures it, without mail, assets and pages: nothing of the buyer flow uses these. */
import {
  DefaultJobQueuePlugin,
  DefaultLogger,
  DefaultSchedulerPlugin,
  DefaultSearchPlugin,
  dummyPaymentHandler,
  LogLevel,
} from '@vendure/core';

export const configOf = (databaseUrl, port, isSeeding) => ({
  apiOptions: { hostname: '127.0.0.1', port: Number(port), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'bench', password: 'bench-password' },
    cookieOptions: { secret: 'bench-cookies' },
  },
  dbConnectionOptions: { type: 'postgres', url: databaseUrl, synchronize: isSeeding, migrations: [], logging: false },
  logger: new DefaultLogger({ level: LogLevel.Warn, timestamp: false }),
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [
    DefaultSchedulerPlugin.init(),
    DefaultJobQueuePlugin.init({ useDatabaseForBuffer: true }),
    DefaultSearchPlugin.init({ bufferUpdates: false, indexStockStatus: true }),
  ],
});
