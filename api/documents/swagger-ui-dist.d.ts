declare module 'swagger-ui-dist' {
  /** The folder that holds the files. */
  export function absolutePath(): string;
}
