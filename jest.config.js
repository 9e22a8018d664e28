const common = { runner: '<rootDir>/test/runner/runner.js' };

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
  reporters: [
    'default',
    '<rootDir>/test/kernel/closing.js',
    ...(process.env['PROCESSOR_TIME'] === undefined ? [] : ['<rootDir>/test/kernel/processorTime.js']),
  ],
  testSequencer: '<rootDir>/test/kernel/sequencer.js',
  testTimeout: 60_000,
  maxWorkers: 3,
};
