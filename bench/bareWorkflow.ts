import { condition, defineUpdate, proxyLocalActivities, setHandler } from '@temporalio/workflow';

const activities = proxyLocalActivities<{ nothing(): Promise<string> }>({ startToCloseTimeout: '2s' });

export async function bare(): Promise<void> {
  let done = false;
  setHandler(defineUpdate<string>('work'), async () => {
    const answer = await activities.nothing();
    done = true;
    return answer;
  });
  await condition(() => done);
}
