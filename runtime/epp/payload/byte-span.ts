/** Bytes of a body from `start` to before `end`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}
