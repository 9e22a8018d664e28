/** What a command says, from a table of commands: `{ confirm: {}, hold: { day } }` gives `{ name: 'confirm'; input: {} } | { name: 'hold'; … }`. */
export type ContentOf<Commands> = {
  readonly [N in keyof Commands & string]: { readonly name: N; readonly input: Commands[N] };
}[keyof Commands & string];
