const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
};

export default {
  projects: [
    // No system: seconds. `npm run test:units`.
    { ...common, displayName: 'units', testMatch: ['<rootDir>/test/units/**/*.test.ts'] },
    {
      ...common,
      displayName: 'system',
      testMatch: ['<rootDir>/test/{system,faults}/**/*.test.ts'],
      globalSetup: './test/kernel/globalSetup.js',
      globalTeardown: './test/kernel/globalTeardown.js',
    },
  ],
  reporters: ['default', '<rootDir>/test/kernel/closing.js'],
  testSequencer: '<rootDir>/test/kernel/sequencer.js',
  testTimeout: 60_000,
  maxWorkers: 3,
};
