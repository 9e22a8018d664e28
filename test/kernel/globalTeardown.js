export default async () => {
  const { tearDown } = await import('./system.ts');
  await tearDown();
};
