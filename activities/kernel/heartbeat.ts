import { heartbeat } from '@temporalio/activity';

const BEAT_MS = 2000;

/** Sends activity heartbeats during `work`: the death of the worker is noticed within the heartbeat timeout. Not in local activities. */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const beats = setInterval(() => heartbeat(), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beats);
  }
}
