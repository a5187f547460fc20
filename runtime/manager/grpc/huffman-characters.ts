/**
 * The Huffman code of HPACK (RFC 7541, appendix B), which is canonical: codes of one length are consecutive, in the
 * order of their characters. Only the lengths are listed. The last code belongs to the end of a string.
 */
const lengths = [
  "1323282828282828282430282830282828282828282830282828282828282828",
  "0610101213060811101008110806060605050506060606060606070815061210",
  "1306070707070707070707070707070707070707070707070807081319131406",
  "1505060506050606060507070606060506070605050607070707071511141328",
  "2022202022222223222323232323242324242223242323232321222322232324",
  "2221202222232321232222242122232321212221232223232022222223222223",
  "2626201922232225262626272726242519212627272627242121262628272727",
  "2024202122212123222225252424262326272626272727272728272727272726",
  "30",
]
  .join("")
  .match(/../g)
  ?.map(Number) as number[];

interface CodesOfLength {
  readonly first: number;
  readonly characters: readonly number[];
}

const codes: readonly CodesOfLength[] = (() => {
  let next = 0;
  return Array.from({ length: Math.max(...lengths) + 1 }, (_, length) => {
    next *= 2;
    const characters = lengths.flatMap((each, character) => (each === length ? [character] : []));
    const first = next;
    next += characters.length;
    return { first, characters };
  });
})();

/** A character of an encoded string. */
export interface EncodedCharacter {
  readonly character: number;
  /** First bit of its code. */
  readonly bit: number;
  /** Bits of its code. */
  readonly length: number;
}

/** Returns the characters of an encoded string, with their bits. Padding at the end has no characters. */
export function* encodedCharacters(bytes: Uint8Array): Generator<EncodedCharacter> {
  let code = 0;
  let length = 0;
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    code = 2 * code + (((bytes[bit >> 3] as number) >> (7 - (bit & 7))) & 1);
    length += 1;
    const ofLength = codes[length];
    if (ofLength === undefined) return;
    const character = ofLength.characters[code - ofLength.first];
    if (character === undefined) continue;
    yield { character, bit: bit + 1 - length, length };
    code = 0;
    length = 0;
  }
}

/** Returns the code of a character. */
export function codeOf(character: number): { readonly code: number; readonly length: number } {
  const length = lengths[character] as number;
  const { first, characters } = codes[length] as CodesOfLength;
  return { code: first + characters.indexOf(character), length };
}
