const common = { runner: '<rootDir>/test/runner/runner.js' };
const system = {
  ...common,
  globalSetup: './test/kernel/globalSetup.js',
  globalTeardown: './test/kernel/globalTeardown.js',
};

export default {
  projects: [
    // No system: seconds. `npm run test:units`.
    { ...common, displayName: 'units', testMatch: ['<rootDir>/test/units/**/*.test.ts'] },
    {
      ...system,
      displayName: 'system',
      testMatch: ['<rootDir>/test/{system,faults}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/test/system/docs/'],
    },
    // The guides, followed in a copy of the repository, which is compiled and linted. `npm run guides`, and not part of `npm test`.
    { ...system, displayName: 'guides', testMatch: ['<rootDir>/test/system/docs/**/*.test.ts'] },
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
