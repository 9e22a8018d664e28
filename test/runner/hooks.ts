/** Suites import what Jest's own runner would give them; here it comes from the packages behind it. */
import { registerHooks } from 'node:module';

const globals = new URL('globals.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => (specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context)),
});
