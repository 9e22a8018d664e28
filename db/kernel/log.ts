import { pino } from 'pino';

/** The logger of a process: JSON lines with request, store and workflow ids. Bodies and headers are never logged. */
export const createLog = (process: string, level: string) =>
  pino({ level, base: { process }, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } });

export type Log = ReturnType<typeof createLog>;
