/** What sellers may write in an expression, as `GET /v1/flow-node-types` tells it. */

export interface FunctionDoc {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
}
export interface VariableDoc {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

const row = (signature: string, description: string): FunctionDoc => ({
  name: signature.slice(0, signature.indexOf('(')),
  signature,
  description,
});

/** Every function of expressions; there are no methods, no conversions and no loops. */
export const FUNCTIONS: readonly FunctionDoc[] = [
  row('pct(amount: int, percent: int | decimal): int', 'That many percent (0..100) of an amount, rounded down. pct(refundable, 12.5)'),
  row('daysUntil(time: time): int', 'Calendar days in Korea from now: 0 today, 1 tomorrow, negative in the past.'),
  row('atTime(date: time, timeOfDay: string): time', 'The time of day (HH:mm) in Korea on the day of a time.'),
  row('dayOfWeek(time: time): int', 'The day of the week in Korea: 0 Sunday to 6 Saturday.'),
  row('isHoliday(time: time): bool', 'Whether the day in Korea is a public or substitute holiday; weekends are none.'),
  row(
    'inRanges(time: time, ranges: list): bool',
    'Whether the day in Korea lies in one of the ranges { from, to } (MM-DD, both included, may pass the year): a table of the graph, or a list.',
  ),
  row(
    'lookupStep(table: list, daysLeft: int): int',
    'The value of the row { days, value } with the most days that are not more than daysLeft, else of the row with the fewest: a table of the graph, or a list.',
  ),
  row('min(a, b): int | time', 'The smaller of two numbers, the earlier of two times.'),
  row('max(a, b): int | time', 'The larger of two numbers, the later of two times.'),
  row(
    'duration(text: string): duration',
    'Hours, minutes, seconds, written out: duration("24h"), duration("1h30m"). time ± duration is a time.',
  ),
  row('time(text: string): time', 'An ISO 8601 date-time with an offset, or a date (YYYY-MM-DD), which is its midnight in Korea.'),
  row('has(field): bool', 'Whether an input, an option or the stay is there: has(item.inputs.key), has(item.option.key), has(item.stay).'),
  row('size(value: string | list): int', 'The characters of a text, the values of a list.'),
];

const variable = (name: string, type: string, description: string): VariableDoc => ({ name, type, description });

export const VARIABLES: readonly VariableDoc[] = [
  variable('now', 'time', 'The moment of the decision; of a claim, its receipt.'),
  variable('state.enteredAt', 'time', 'When the present state was entered.'),
  variable('refundable', 'int', 'What the claim refunds at most, in won; in fees and limits of claims only.'),
  variable('claim.quantity', 'int', 'The claimed quantity; in fees and limits of claims only.'),
  variable('claim.reason', 'string', 'The reason of the claim; in fees and limits of claims only.'),
  variable('item.quantity', 'int', 'The ordered quantity.'),
  variable('item.activeQuantity', 'int', 'The quantity that is left.'),
  variable('item.unitPrice', 'int', 'The price of one, in won.'),
  variable(
    'item.inputs.*',
    'by its field',
    'An input: text, textarea, select and radio are string; number int; boolean bool; checkbox and image list; date and datetime time.',
  ),
  variable('item.inputs.wantedAt', 'time', 'The wanted time, a time without declaration.'),
  variable('item.option.*', 'string', 'An attribute of the bought variant, as the seller wrote it.'),
  variable('item.option.showAt', 'time', 'The time of the performance: an attribute that is a time.'),
  variable('item.stay.checkIn', 'time', 'The day of arrival, midnight in Korea; absent when the item is no stay.'),
  variable('item.stay.checkOut', 'time', 'The day of departure, midnight in Korea; absent when the item is no stay.'),
  variable('item.stay.nights', 'int', 'The nights; absent when the item is no stay.'),
  variable('order.paidAt', 'time', 'When the order was paid.'),
  variable('order.totalAmount', 'int', 'What the order cost, in won.'),
];

export const FUNCTION_NAMES: ReadonlySet<string> = new Set(FUNCTIONS.map(({ name }) => name));
/** `now`, `item`, …: what a path may begin with. */
export const ROOTS: ReadonlySet<string> = new Set(VARIABLES.map(({ name }) => name.split('.')[0]!));
