/** Who made a request, as logs show them. */
export const ACTOR_TYPES = ['USER', 'AGENT', 'APP', 'SYSTEM'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/**
 * `USER`: a person's id; `AGENT`: the id of an agent's token, or of the actor that used one; `APP`: a client's id. The name is looked up
 * when a record is written.
 */
export interface ActorRef {
  readonly type: ActorType;
  readonly id: string;
}
/** `name`: the person's, token's or client's at that time. */
export interface Actor extends ActorRef {
  readonly name: string;
}
/** The actor of a request (G43). */
export interface Acting extends ActorRef {
  /** The agent's own, from `x-svc-agent`; null: the one that is looked up. */
  readonly name: string | null;
  /** By a plain API token, or through `/mcp`. */
  readonly via: 'API_TOKEN' | 'MCP' | null;
  /** The person for whom a client or an agent acts. */
  readonly onBehalfOf: string | null;
}
