/** Medusa as its own project template configures it, without the admin's pages, and with a payment provider that captures at once. */
const { defineConfig } = require('@medusajs/framework/utils');

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false, sslmode: 'disable' },
    http: {
      storeCors: 'http://localhost:8000',
      adminCors: 'http://localhost:8000',
      authCors: 'http://localhost:8000',
      jwtSecret: 'bench-tokens',
      cookieSecret: 'bench-cookies',
    },
  },
  admin: { disable: true },
  modules: [{ resolve: '@medusajs/medusa/payment', options: { providers: [{ resolve: require.resolve('./payments'), id: 'bench' }] } }],
});
