/**
 * How many blocks from the start of a prompt are there; found by halving, as they are a run: who has a block has all before it.
 *
 * @param blocks of the prompt
 * @param has whether the block at a place is there
 */
export function runLength(blocks: number, has: (at: number) => boolean): number {
  let known = 0;
  let lacks = blocks + 1;
  while (lacks - known > 1) {
    const middle = (known + lacks) >>> 1;
    if (has(middle - 1)) known = middle;
    else lacks = middle;
  }
  return known;
}
