/** A spec that is refused: what is wrong with it, the path of a problem, and `{ [kind]: spec, metadata? }`. */
export type RefusedObject = readonly [what: string, path: string, written: object];
