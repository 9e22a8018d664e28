import { condition, defineUpdate, proxyLocalActivities, setHandler } from '@temporalio/workflow';

const quick = proxyLocalActivities<{ nothing(): Promise<string> }>({ startToCloseTimeout: '2s' });

/** An open run without our code: one local activity, then it waits. */
export async function bareRun(): Promise<void> {
  await quick.nothing();
  await condition(() => false);
}

/** One update that runs one local activity. */
export async function bare(): Promise<void> {
  let done = false;
  setHandler(defineUpdate<string>('work'), async () => {
    const answer = await quick.nothing();
    done = true;
    return answer;
  });
  await condition(() => done);
}

/** A payment without our code: a transition, a provider's call that is brief, a transition. */
export async function barePayment(): Promise<void> {
  let done = false;
  setHandler(defineUpdate<void>('work'), async () => {
    await quick.nothing();
    await quick.nothing();
    await quick.nothing();
    done = true;
  });
  await condition(() => done);
}

/** A new order item without our code: it loads its row. It then completes, so that no workflow stays open. */
export async function bareItem(): Promise<void> {
  await quick.nothing();
}
