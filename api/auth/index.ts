import type { Endpoint } from '../declare/endpoint.ts';
import { anonymous } from './anonymous.ts';
import { login } from './login.ts';
import { signup } from './signup.ts';
import { withdraw } from './withdraw.ts';

export const auth: readonly Endpoint[] = [anonymous, signup, login, withdraw];
