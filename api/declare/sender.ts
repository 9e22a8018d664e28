/** A command about one thing, in the four steps that all have: read it, check, store what a person typed, send. */
import type { Tx } from '../../db/kernel/tx.ts';
import type { StoredReply } from '../../db/runs/operations.ts';
import type { Commands } from './commands.ts';

interface Request {
  readonly name: PropertyKey;
  readonly input: object;
  readonly texts?: Readonly<Record<string, string>>;
}
/** A command of `Inputs`. `texts`: what a person typed. It is stored in Postgres, and only its id passes through Temporal. */
export type CommandRequest<Inputs> = {
  readonly [N in keyof Inputs]: {
    readonly name: N;
    readonly input: Inputs[N];
    readonly texts?: { readonly [F in Extract<keyof Inputs[N], `${string}Id`>]?: string };
  };
}[keyof Inputs];

interface Steps<Call, Subject, R extends Request, Content> {
  /** The thing that the command is about; its NOT_FOUND. */
  readonly read: (tx: Tx, id: string, call: Call) => Promise<Subject>;
  /** Refuses early what the transition would refuse. */
  readonly check: (subject: Subject, request: R, call: Call) => unknown;
  readonly send: (commands: Commands, subject: Subject, content: Content) => Promise<StoredReply>;
}

/** Sends the command that `requestOf` makes of the thing; returns the thing as it was read, and the reply that its transition stored. */
export const createSender =
  <Call extends { readonly commands: Commands }, Subject, R extends Request, Content>({
    read,
    check,
    send,
  }: Steps<Call, Subject, R, Content>) =>
  async (
    call: Call,
    id: string,
    requestOf: (subject: Subject) => R,
  ): Promise<{ readonly subject: Subject; readonly reply: StoredReply }> => {
    const { commands } = call;
    const subject = await commands.read((tx) => read(tx, id, call));
    const request = requestOf(subject);
    await check(subject, request, call);
    const { name, input, texts = {} } = request;
    const ids: Record<string, string> = {};
    for (const [field, text] of Object.entries(texts)) ids[field] = await commands.storeText(text);
    return { subject, reply: await send(commands, subject, { name, input: { ...input, ...ids } } as Content) };
  };

/** The courier's number of a parcel is passed as text, too. */
export const trackingNumberText = (trackingNumber: string | undefined) =>
  trackingNumber === undefined ? {} : { texts: { trackingNumberId: trackingNumber } };
