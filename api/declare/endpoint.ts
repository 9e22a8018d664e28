/** The declaration of an operation. Routing, validation, OpenAPI and generated tests are derived from it. */
import type { Side } from '../../db/kernel/requester.ts';
import type { ErrorCode, FieldError } from '../../domain/kernel/errors.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Commands } from './commands.ts';
import type { ApiDeps } from './deps.ts';
import { isObject } from './documentedSchema.ts';
import type { Incoming, UploadedFile } from './incoming.ts';
import type { AgentPolicy, ByChange } from './policy.ts';
import type { Fitting, Static, TSchema } from './schema.ts';
import type { Subject, Subjects, Viewed } from './subject.ts';
import type { Caller, Head } from './caller.ts';
import type { Role, Scope } from '../../domain/identity/rules.ts';
import type { CustomerLock } from '../../db/customers/locks.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** `/v1/claims/{claimId}` → `{ claimId: string }` */
type PathParams<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & PathParams<Rest>
  : unknown;

/**
 * Who may call. `store`: a store's token with the scopes. `user`: a person, before a store is chosen. `buyer`: X-Store-Code with a guest
 * session or a customer's token. `customer`: X-Store-Code with a customer's token. `storefront`: X-Store-Code alone. `payment`: anybody who
 * knows the unguessable payment id.
 */
export type Access = 'store' | 'user' | 'buyer' | 'customer' | 'storefront' | 'payment';
/** `here`: one transaction, the idempotency row first. `workflow`: a command to the run that owns the row. `none`: a read. */
export type Change = 'none' | 'here' | 'workflow';

/** HTTP statuses by code. */
export type Statuses = Partial<Readonly<Record<ErrorCode, number>>>;

export interface Operation<R extends string, Q extends TSchema, B extends TSchema, D extends TSchema, C extends Change> {
  /** `folder.file`; also the operationId of the OpenAPI documents. */
  readonly id: `${string}.${string}`;
  readonly route: R & `${Method} /${string}`;
  readonly summary: string;
  /**
   * The last segment is a value of the parameter that other operations have there, `PUT …/{provider}` with a body for each provider: what
   * any other value is answered with, after authentication and role.
   */
  readonly endsInValue?: ErrorCode;
  readonly access: Access;
  /** Of `storefront`: a valid member token says who reads; any other, and none, is a visitor's. */
  readonly knowsMember?: boolean;
  /**
   * Of `storefront`: pages of shops call it, in browsers, and only those of the store's `analyticsAllowedOrigins` where it has any; judged
   * before the body.
   */
  readonly crossOrigin?: boolean;
  /**
   * Of `storefront`: what everybody is answered alike, so that caches on the way may keep it. Every other answer, and every refusal, is
   * `no-store`: it may have personal data, a token or a secret that is shown once.
   */
  readonly isPublic?: boolean;
  readonly scopes?: readonly Scope[];
  /** One of `scopes` will do until the body is known; this one of them is what the body needs. Not for what needs an approval. */
  readonly scopeOf?: (body: Static<B>) => Scope;
  /**
   * Only for people who logged in at the console and have one of these roles. Empty for `user`, where there is no store and no role
   * yet.
   */
  readonly console?: readonly Role[];
  /**
   * What agents meet instead of the console's rule. `none`: AGENT_OPERATION_DENIED, reads too; a change declares `denied`. `own`:
   * the handler shows them what is theirs.
   */
  readonly agentAccess?: 'none' | 'own';
  /** The agent policy; a change without one is denied to agents. */
  readonly agent?: AgentPolicy | ByChange;
  /** Its approval is skipped while the store was never public and has no live order. */
  readonly directUntilLive?: boolean;
  /** Agents' use of it is counted, but never refused when the plan's AI actions are used up: everyday work on orders (G40). */
  readonly aiActions?: 'always';
  /** Only this role may approve it; ADMIN, too, when left out. */
  readonly approver?: 'OWNER';
  /** What a change of the management API is about. */
  readonly target?: Subject | Subjects;
  /** The fields of the answer that a dry run tells: amounts and counts. */
  readonly facts?: readonly string[];
  /**
   * Fields of its body that no preview shows, beside those that its subject hides: texts about people, and whatever forms of sellers ask
   * for.
   */
  readonly unshown?: readonly string[];
  /** Facts of what is there before it, on which its effect depends beside its body. `before`: as its subject is shown. */
  readonly context?: (before: Readonly<Record<string, unknown>>, viewed: Viewed & { readonly tx: Tx }) => object | Promise<object>;
  /** What others move apart, a balance, what is left of a limit: facts and fields that an approval shows anew and does not compare. */
  readonly levels?: readonly string[];
  readonly change: C;
  readonly idempotent?: boolean;
  /**
   * What it refuses whatever is sent: judged after role and scope and before the body is looked at, in a transaction of its own. Its
   * handler refuses the same.
   */
  readonly first?: (tx: Tx, params: Readonly<Record<string, string>>, head: Head) => Promise<void>;
  /** Path parameters that are no ids: names that the client gives. */
  readonly names?: Readonly<Record<string, TSchema>>;
  /** It takes no request without an Idempotency-Key. */
  readonly needsKey?: boolean;
  readonly query?: Q;
  /** Further request headers; the handler validates them, unless `checkHeaders` does. */
  readonly headers?: Readonly<Record<string, TSchema>>;
  /** It takes no request without those headers: their problems, reported with those of the body. */
  readonly checkHeaders?: (header: Incoming['header']) => readonly FieldError[];
  /** Absent or without properties: every field of a body is UNKNOWN_FIELD. */
  readonly body?: B;
  /** The body is multipart: text fields by `body`, and one file of at most so many bytes. */
  readonly maxFileBytes?: number;
  /** Problems that the schema cannot express, reported together with its own. It gets only what fits the schema. */
  readonly check?: (body: Fitting<Static<B>>, deps: ApiDeps, caller: Caller) => readonly FieldError[] | Promise<readonly FieldError[]>;
  readonly status?: 200 | 201 | 202;
  /** The status of a creation that finds what is there already; the handler sets it. */
  readonly statusWhenThere?: 200;
  readonly data?: D;
  /**
   * It answers a picture, as text, in place of the envelope; refusals are the envelope. No tool: agents that read JSON are not offered it.
   */
  readonly image?: 'image/svg+xml';
  /** Supports `If-Match`. */
  readonly ifMatch?: boolean;
  /** The response has an `ETag`. */
  readonly etag?: boolean;
  /** An expired cart token is replaced by a new session instead of being refused. */
  readonly renewsSession?: boolean;
  /** The response contains a secret that is shown once: the reply stored for replays is encrypted. */
  readonly secret?: boolean;
  /** How a change locks the member who makes it; `KEY SHARE`, beside their other changes, where nothing is declared. */
  readonly customerLock?: CustomerLock;
  /** The largest one costs a process many megabytes, or much of its time: such requests take turns (largeRequests.ts). */
  readonly isLarge?: boolean;
  /** Of the storefront: whose turns it takes, where they are not those of buyers. */
  readonly side?: Side;
  /** Verifies or hashes a password: at most 20 such calls at once per process. */
  readonly verifiesPassword?: boolean;
  readonly errors?: readonly ErrorCode[];
  /** Deprecated: the URL of the successor, sent with every response. */
  readonly successor?: string;
  /** The form of `error.details`, by code, where it is an object of its own. */
  readonly details?: Partial<Readonly<Record<ErrorCode, TSchema>>>;
  /** HTTP statuses that differ from the catalogue's, by code. */
  readonly statuses?: Statuses;
}

interface HandlerInput<R extends string, Q, B> extends Caller {
  readonly params: PathParams<R>;
  readonly query: Q;
  readonly body: B;
  readonly deps: ApiDeps;
  /** The uploaded file, where the operation takes one. */
  readonly file: UploadedFile | null;
  readonly setHeader: (name: string, value: string) => void;
  /** Only to `statusWhenThere`. */
  readonly setStatus: (status: 200) => void;
  /** Acts outside of Postgres; in a dry run nothing does, and the result is `instead`. */
  readonly outside: <T>(act: () => Promise<T>, instead: T) => Promise<T>;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: () => AbortSignal;
  /** A header of the request; empty when it was not sent. */
  readonly header: (name: string) => string;
}
type ChangeAccess<C extends Change> = C extends 'workflow' ? { readonly commands: Commands } : { readonly tx: Tx };
export type Call<R extends string, Q, B, C extends Change, P = unknown> = HandlerInput<R, Q, B> &
  ChangeAccess<C> & { readonly prepared: P };

/** An operation with its handler, as mount() sees it. */
export interface Endpoint extends Operation<string, TSchema, TSchema, TSchema, Change> {
  readonly prepare: ((call: HandlerInput<string, unknown, unknown>) => Promise<unknown>) | null;
  readonly run: (call: never) => Promise<unknown>;
}

/** Declares an operation. In two steps, so that the types are inferred before the handler is checked. */
export function endpoint<
  const R extends string,
  C extends Change,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
>(operation: Operation<R, Q, B, D, C>) {
  type Input = HandlerInput<R, Static<Q>, Static<B>>;
  const finish =
    <P>(prepare: ((call: Input) => Promise<P>) | null) =>
    (run: (call: Call<R, Static<Q>, Static<B>, C, P>) => Promise<Static<D>>): Endpoint =>
      ({ ...operation, prepare, run }) as unknown as Endpoint;
  return {
    handle: finish<undefined>(null),
    /** Work before the transaction: hashing, DNS. */
    before: <P>(prepare: (call: Input) => Promise<P>) => ({ handle: finish(prepare) }),
  };
}

/** Whether its callers may be agents, who name themselves by a header; buyers' headers say nothing. */
export const isForAgents = ({ access }: Pick<Endpoint, 'access'>): boolean => access === 'store' || access === 'user';

/** A request of the management API that leaves a record: a change, or a check or rehearsal of a flow. */
export const isManaged = ({ access, route }: Pick<Endpoint, 'access' | 'route'>): boolean =>
  access === 'store' && !route.startsWith('GET ');
/** A change of the management API: it has a dry run, takes agents' keys and counts as their action. */
export const isWrite = (endpoint: Pick<Endpoint, 'access' | 'route' | 'change'>): boolean =>
  isManaged(endpoint) && endpoint.change !== 'none';
/** A change of a person before a store is chosen: it has a dry run too, and leaves a record in the store that it reaches. */
export const isPersonal = ({ access, change }: Pick<Endpoint, 'access' | 'change'>): boolean => access === 'user' && change !== 'none';
/** Whether the body of an operation has fields. */
export const needsBody = ({ body }: Endpoint): boolean => Object.keys(propertiesOf(body)).length > 0;
const propertiesOf = (schema: object = {}): object => ('properties' in schema && isObject(schema.properties) ? schema.properties : {});
