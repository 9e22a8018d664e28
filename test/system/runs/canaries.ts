/** Canaries: a text of its own for every place of every request, and how they are recognised wherever they turn up. */

export interface Schema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const MARK = 'CanaryZq7x';
const PHONE = '^[0-9-]{9,20}$';
const ZIP_CODE = '^[0-9]{5}$';
/** A store's tax registration number. */
const TAX_NUMBER = '^-*(?:[0-9]-*){10}$';
/** What names a thing that there is, or proves something: it stays what it is in calls that are to be carried out. */
const isReference = (name: string): boolean => /(?:Id|Ids|[tT]oken|cursor|Digest)$/.test(name);
const isSecret = (name: string): boolean => /[tT]oken$/.test(name);

const variantsOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema];
const isText = (schema: Schema): boolean => schema.type === 'string' && schema.enum === undefined && schema.const === undefined;
/** Whether anything may stand there but words of a list, days, times and durations. */
const isFree = (schema: Schema, name: string): boolean => isText(schema) && !schema.format?.startsWith('date') && name !== 'advance';

/** Names that sellers give to parts of a flow, which operators read in Temporal: labels and messages stay out. Addresses of uploads. */
const isIdentifier = (way: string): boolean =>
  way.endsWith(' body.attachments[]') ||
  ['flows.create body.key', 'flows.create body.presetKey'].includes(way) ||
  way === 'orders.move body.to' ||
  (/^flows\.\w+ body\.(?:graph|steps)\b/.test(way) && !way.endsWith('body.graph.actions[].label'));

/** Each free text of a schema that is no reference: `body.items[].trackingNumber`. */
export function freeTexts(schema: Schema | undefined, way: string, name = ''): string[] {
  if (!schema) return [];
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((one) => freeTexts(one, way, name)))];
  if (isFree(schema, name)) return isReference(name) || isIdentifier(way) ? [] : [way];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, one]) => freeTexts(one, `${way}.${key}`, key)),
    ...Object.values(schema.patternProperties ?? {}).flatMap((one) => freeTexts(one, `${way}.*`)),
    ...freeTexts(schema.items, `${way}[]`, name),
  ];
}

/** How much is typed. `sent`: the texts that are there. `fields`: every other free text too. `all`: references as well, to be refused. */
export type Extent = 'sent' | 'fields' | 'all';

/** Where a value stands, and the free texts that have a canary so far. */
interface At {
  readonly way: string;
  readonly name: string;
  readonly extent: Extent;
  readonly ways: string[];
}

export class Canaries {
  /** Where each stands, in lower case. */
  readonly #places = new Map<string, string>();
  readonly #copies = new Map<string, string>();
  #typed = 0;

  /** A text that is a canary as it is: nobody else has it. */
  register(text: string, location: string): string {
    this.#places.set(text.toLowerCase(), location);
    return text;
  }
  fresh(location: string): string {
    return this.register(`${MARK}${(this.#typed++).toString(36).padStart(4, '0')}`, location);
  }

  /** A body or query with canaries; `ways` are the free texts that have one. */
  fill(schema: Schema, value: unknown, location: string, extent: Extent): { readonly value: unknown; readonly ways: readonly string[] } {
    const ways: string[] = [];
    return { value: this.#fill(schema, value, { way: location, name: '', extent, ways }), ways };
  }

  #fill(schema: Schema, value: unknown, at: At): unknown {
    if (value === null && at.extent === 'sent') return null;
    const one = chosen(schema, value);
    if (isFree(one, at.name)) {
      if (isIdentifier(at.way)) return value;
      if (at.extent !== 'all' && isReference(at.name))
        return isSecret(at.name) && typeof value === 'string' ? this.register(value, at.way) : value;
      at.ways.push(at.way);
      return this.#text(one, typeof value === 'string' ? value : undefined, at);
    }
    if (one.type === 'array') return this.#list(one, value, at);
    return one.type === 'object' ? this.#object(one, value, at) : value;
  }

  #list(one: Schema, value: unknown, at: At): unknown {
    const items = Array.isArray(value) ? (value as unknown[]) : [undefined];
    const inner = { ...at, way: `${at.way}[]` };
    return items.map((item) => this.#fill(one.items ?? {}, item, inner)).filter((item) => item !== undefined);
  }

  #object(one: Schema, value: unknown, at: At): unknown {
    const given = (value ?? {}) as Record<string, unknown>;
    const known = Object.entries(one.properties ?? {})
      .filter(([key, field]) => key in given || this.#isAdded(field, key, at.extent))
      .map(([key, field]) => [key, this.#fill(field, given[key], { ...at, way: `${at.way}.${key}`, name: key })]);
    const names = isIdentifier(`${at.way}.`) ? [] : Object.values(one.patternProperties ?? {});
    const named = names.map((field) => [
      this.fresh(`${at.way} name`),
      this.#fill(field, undefined, { ...at, way: `${at.way}.*`, name: '' }),
    ]);
    return { ...given, ...Object.fromEntries([...known, ...named].filter(([, inner]) => inner !== undefined)) };
  }

  /** Texts, lists of them and maps of them; in calls that are to be refused, whatever holds some. */
  #isAdded(schema: Schema, key: string, extent: Extent): boolean {
    if (extent === 'sent' || (extent === 'fields' && isReference(key))) return false;
    const one = chosen(schema, undefined);
    if (extent === 'all') return true;
    return isFree(one, key) || one.patternProperties !== undefined || (one.type === 'array' && isFree(one.items ?? {}, key));
  }

  /** The same text always has the same canary: what is typed twice still agrees. */
  #text(schema: Schema, value: string | undefined, { way, name }: { readonly way: string; readonly name: string }): string {
    // Addresses of people of this store are theirs alone.
    if (value !== undefined && /^member-|@t[\w-]+\.example$/.test(value)) return this.register(value, way);
    const copy = value === undefined ? undefined : this.#copies.get(value);
    if (copy !== undefined) return copy;
    const made = this.#shaped(schema, value, way, name);
    if (value !== undefined) this.#copies.set(value, made);
    return made;
  }
  #shaped({ format, pattern }: Schema, value: string | undefined, way: string, name: string): string {
    if (pattern === PHONE) return this.register(`07350946${String(this.#typed++).padStart(4, '0')}`, way);
    if (pattern === ZIP_CODE) return this.register(String(7300 + (this.#typed++ % 100)).padStart(5, '0'), way);
    if (pattern === TAX_NUMBER) return this.register(String(7_319_900_000 + this.#typed++), way);
    // The courier of development knows numbers that end in 1.
    const canary = this.fresh(way) + (name === 'trackingNumber' ? '1' : '');
    return shapedAs(name, value, canary) ?? this.#addressed({ format, value, name, way }, canary);
  }
  #addressed(
    {
      format,
      value,
      name,
      way,
    }: { readonly format: string | undefined; readonly value: string | undefined } & Record<'name' | 'way', string>,
    canary: string,
  ): string {
    if (format === 'email') return `${canary}@example.com`;
    if (name === 'path') return `/${canary}`;
    if (name === 'analyticsAllowedOrigins') return `https://${canary}.example`;
    if (format !== 'uri' && !/[uU]rl$/.test(name)) return canary;
    const url = new URL(value ?? 'https://shop.example.com/');
    url.pathname += `/${canary}`;
    // The base of a connection has no query: the path of a node is appended to it.
    if (!way.startsWith('flows.saveSecret ')) url.searchParams.set('q', canary);
    return url.href;
  }

  /** Where a canary that stands in one of these texts was typed: as it is, in base64 at any offset, in hexadecimal. */
  seenIn(texts: Iterable<string>): string[] {
    const whole = [...texts].join('\n');
    const lower = whole.toLowerCase();
    const marked = [...lower.matchAll(new RegExp(`${MARK.toLowerCase()}[0-9a-z]{4}`, 'g'))].map(([found]) => found);
    const asTheyAre = [...this.#places.keys()].filter((one) => !one.startsWith(MARK.toLowerCase()) && stands(one, lower));
    const encoded = ENCODED.filter((form) => whole.includes(form)).map((form) => `encoded: ${form}`);
    return [...new Set([...marked, ...asTheyAre].map((one) => `${this.#places.get(one) ?? 'unknown'}: ${one}`)), ...encoded];
  }
}

/** Domains and keys of payment providers have their shape; null: anything else. */
function shapedAs(name: string, value: string | undefined, canary: string): string | null {
  if (name === 'paymentDomains') return `${canary.toLowerCase()}.example`;
  if (name === 'webhookSecret') return `whsec_${Buffer.from(canary.padEnd(24, '.')).toString('base64')}`;
  const [prefix] = /^(?:(?:test|live)_[cs]k_|channel-key-|portone-)/.exec(value ?? '') ?? [];
  return prefix === undefined ? null : prefix + canary + (prefix === 'portone-' ? '-secret' : '');
}

/** The variant that the value has. */
function chosen(schema: Schema, value: unknown): Schema {
  const variants = variantsOf(schema).filter(({ type }) => type !== 'null');
  const holds = (one: Schema) => {
    if (value === undefined || value === null) return true;
    if (Array.isArray(value)) return one.type === 'array';
    if (typeof value !== 'object') return one.type === typeof value;
    return one.type === 'object' && Object.keys(value).every((key) => one.patternProperties || key in (one.properties ?? {}));
  };
  return variants.find(holds) ?? variants[0] ?? schema;
}

/** Digits count only where they stand by themselves: longer numbers are full of short ones. */
const stands = (text: string, whole: string): boolean =>
  /^\d+$/.test(text) ? new RegExp(`(?<![0-9a-z.])${text}(?![0-9a-z])`).test(whole) : whole.includes(text);

/** What of the mark is the same whatever stands around it. */
const ENCODED: readonly string[] = [
  ...[0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'.'.repeat(offset)}${MARK}`)
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(Math.ceil((offset * 4) / 3), -1);
  }),
  Buffer.from(MARK).toString('hex'),
];

/** Every text of a message, names of fields and decoded bytes included. */
export function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (ArrayBuffer.isView(value)) yield Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      yield key;
      yield* textsOf(inner);
    }
}
