/** Loaded by bin/bootstrap.mjs before a single process: one without places of its own joins the development system that runs here. */
import { developmentSystem } from './developmentSystem.ts';

if (process.env['APP_DATABASE_URL'] === undefined)
  for (const [name, value] of Object.entries(developmentSystem()?.env ?? {})) process.env[name] ??= value;
