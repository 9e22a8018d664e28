export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: './test/kernel/globalSetup.js',
  globalTeardown: './test/kernel/globalTeardown.js',
  reporters: ['default', '<rootDir>/test/kernel/closing.js'],
  testTimeout: 60_000,
  maxWorkers: 2,
  forceExit: true,
};
