import type { Endpoint } from '../declare/endpoint.ts';
import { accept } from './accept.ts';
import { cancel } from './cancel.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { resend } from './resend.ts';

export const invitations: readonly Endpoint[] = [list, create, resend, cancel, accept];
