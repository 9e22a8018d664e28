import { heartbeat } from '@temporalio/activity';

const BEAT_MS = 2000;

/** Tells Temporal that a call is still being made: when its worker dies, the run hears of it in seconds. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beats = setInterval(() => heartbeat(), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beats);
  }
}
