/** One operation, declared once. Routing, checks, OpenAPI and the generated tests are read off this value. */
import type { ErrorCode, FieldError } from '../../domain/kernel/errors.ts';
import type { Em } from '../../db/kernel/tx.ts';
import type { ApiDeps } from './deps.ts';
import type { AgentPolicy, ByChange } from './agents.ts';
import type { Commands } from './commands.ts';
import type { Role, Scope } from '../../domain/identity/rules.ts';
import type { Customer } from '../../db/customers/queries.ts';
import type { UserClaims } from './tokens.ts';
import type { Statuses } from './reply.ts';
import type { Static, TSchema } from './schema.ts';
import type { UploadedFile } from './upload.ts';
import type { Fitting } from './validate.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `/v1/claims/{claimId}` → `{ claimId: string }` */
type PathParams<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : unknown;

/**
 * Who may call. `store`: a store token with the scopes. `user`: a person, before a store is chosen. `buyer`: X-Store-Code with a guest session or a customer's token. `customer`: with a customer's token. `shop`: X-Store-Code
 * alone. `payment`: nobody in particular; the unguessable payment id is the key.
 */
export type Access = 'store' | 'user' | 'buyer' | 'customer' | 'storefront' | 'payment';
/** `here`: one transaction, the idempotency row first. `workflow`: a command to the run that owns the row. */
export type Change = 'none' | 'here' | 'workflow';

export interface Operation<R extends string, Q extends TSchema, B extends TSchema, D extends TSchema, C extends Change> {
  /** `folder.file`; also operationId, audit action and test path. */
  readonly id: `${string}.${string}`;
  readonly route: R & `${Method} /${string}`;
  readonly summary: string;
  readonly access: Access;
  readonly scopes?: readonly Scope[];
  /** Console-only (D29): people who logged in at the console and hold one of these roles now. Empty for `user`, where no store has given a role yet. */
  readonly console?: readonly Role[];
  /** What an agent may do with it; a change that says nothing is denied to them. */
  readonly agent?: AgentPolicy | ByChange;
  readonly change: C;
  readonly idempotent?: boolean;
  readonly query?: Q;
  /** Headers that it looks at besides those of its access; how they are judged is its own business. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** Absent, or without properties: any field of a body is unknown (D8). */
  readonly body?: B;
  /** The body is multipart: its text fields are `body`, and with them comes one file of at most so many bytes. */
  readonly file?: number;
  /** Problems that the schema cannot see, told beside its own (D7). It meets only what fits the schema, of everything else nothing (X6). */
  readonly check?: (body: Fitting<Static<B>>, deps: ApiDeps, caller: Caller) => readonly FieldError[] | Promise<readonly FieldError[]>;
  readonly status?: 200 | 201 | 202;
  readonly data?: D;
  /** It may be asked of a version: `If-Match`. */
  readonly ifMatch?: boolean;
  /** Its answer names the version of what it shows as `ETag`. */
  readonly etag?: boolean;
  /** A cart token that has ended is replaced here instead of being refused. */
  readonly renewsSession?: boolean;
  /** The answer holds a secret that is shown once: what is kept for replays is sealed. */
  readonly secret?: boolean;
  /** Judges a password that a person chose: at most 20 such calls are under way at once in a process (X12). */
  readonly judgesPassword?: boolean;
  readonly errors?: readonly ErrorCode[];
  /** Deprecated: where to go instead. Every answer says so. */
  readonly successor?: string;
  /** Where this operation answers a code with another status than the catalogue's. */
  readonly statuses?: Statuses;
}

/** Who asks, for which store, and when. */
export interface Caller {
  readonly storeId: string;
  readonly sandbox: boolean;
  /** The owner of idempotency keys: client, user, customer or guest session; else what the request is about (X15). */
  readonly principal: string;
  /** Where the request came from; IPv6 by /64 (X9). For limits only. */
  readonly clientAddress: string;
  readonly sessionId: string | null;
  /** Business time: the real time and the store's offset. */
  readonly at: number;
  readonly realNow: number;
  readonly requestId: string;
  /** A buyer who has logged in; null for guests and for the management API. */
  readonly customer: Customer | null;
  /** A guest's token that replaces one that has ended (D66). */
  readonly renewedToken: string | null;
  /** What the token may do now; empty for buyers. */
  readonly scopes: readonly string[];
  /** The person's role now; null for what is no person. */
  readonly role: Role | null;
  /** The token was issued for an AI agent (G1). */
  readonly isAgent: boolean;
  /** The person behind the token; null for servers, API tokens and buyers. */
  readonly person: Pick<UserClaims, 'userId' | 'loginId' | 'authTime'> | null;
  /** Before a store is chosen: the only one that the person's client leads into (X1); null: all of theirs. */
  readonly clientStoreId: string | null;
}
interface Asked<R extends string, Q, B> extends Caller {
  readonly params: PathParams<R>;
  readonly query: Q;
  readonly body: B;
  readonly deps: ApiDeps;
  /** The uploaded file, where the operation takes one. */
  readonly file: UploadedFile | null;
  readonly setHeader: (name: string, value: string) => void;
  /** A header of the request; empty when it was not sent. */
  readonly header: (name: string) => string;
}
type Means<C extends Change> = C extends 'workflow' ? { readonly commands: Commands } : { readonly em: Em };
export type Call<R extends string, Q, B, C extends Change, P = unknown> = Asked<R, Q, B> & Means<C> & { readonly prepared: P };

/** An operation with its handler, as mount() sees it. */
export interface Endpoint extends Operation<string, TSchema, TSchema, TSchema, Change> {
  readonly prepare: ((call: Asked<string, unknown, unknown>) => Promise<unknown>) | null;
  readonly run: (call: never) => Promise<unknown>;
}

/** Two steps, so that the handler is checked against types that are already settled. */
export function endpoint<
  const R extends string,
  C extends Change,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
>(operation: Operation<R, Q, B, D, C>) {
  type Ask = Asked<R, Static<Q>, Static<B>>;
  const finish =
    <P>(prepare: ((call: Ask) => Promise<P>) | null) =>
    (run: (call: Call<R, Static<Q>, Static<B>, C, P>) => Promise<Static<D>>): Endpoint =>
      ({ ...operation, prepare, run }) as unknown as Endpoint;
  return {
    handle: finish<undefined>(null),
    /** Work that must not hold a transaction: hashing, DNS. */
    before: <P>(prepare: (call: Ask) => Promise<P>) => ({ handle: finish(prepare) }),
  };
}
