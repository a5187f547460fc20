/** Short forms of long lists in a `config.json`. */

/** Returns a list of the given length that repeats a pattern. */
export const cycle = <Item>(length: number, pattern: readonly Item[]): Item[] =>
  Array.from({ length }, (_, at) => pattern[at % pattern.length] as Item);

/** Returns `block_configs`; 0 means that a layer does not have this part. */
export const searchedBlocks = (groups: readonly number[], multiples: readonly number[]) =>
  groups.map((group, at) => ({
    attention: { n_heads_in_group: group || null },
    ffn: { ffn_mult: multiples[at] || null },
  }));
