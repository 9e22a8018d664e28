/** Loaded by bin/bootstrap.mjs before a single process: without addresses in its environment it joins the running development system. */
import { developmentSystem } from './developmentSystem.ts';

if (process.env['APP_DATABASE_URL'] === undefined)
  for (const [name, value] of Object.entries(developmentSystem()?.env ?? {})) process.env[name] ??= value;
