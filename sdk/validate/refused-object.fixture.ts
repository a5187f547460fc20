/** A spec that is refused: its problem, the path of the problem, and `{ [kind]: spec, metadata? }`. */
export type RefusedObject = readonly [what: string, path: string, written: object];
