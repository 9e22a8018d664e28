// Jest loads this outside its module system; the pinned Node strips the types of what it imports.
export default async () => {
  const { setUp } = await import('./system.ts');
  await setUp();
};
