import { claimTransition } from '../db/transitions.ts';
import type { RunActivities } from './kernel/transition.ts';

export const claim: RunActivities<'claim'> = { transition: () => claimTransition, calls: () => ({}) };
