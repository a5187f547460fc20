/**
 * JSON (RFC 8259) as a table of the state that follows each byte. With it, JSON can be parsed in pieces, cut anywhere,
 * at the same small cost for every byte.
 */

/** The states. From `firstAction` on, an entry of the table is an action that leads to the next state. */
export const state = {
  wrong: 0,
  /** Before the outermost value, which must be an object. */
  start: 1,
  /** After the outermost value. */
  done: 2,
  /** After `{`. The state after a comma in an object is `key`. */
  firstKey: 3,
  key: 4,
  colon: 5,
  value: 6,
  /** After `[`. */
  firstItem: 7,
  /** After a value in an object or a list. */
  after: 8,
  text: 9,
  keyText: 10,
} as const;

export const action = {
  openObject: 128,
  openList: 129,
  closeObject: 130,
  closeList: 131,
  comma: 132,
  colon: 133,
  startKey: 134,
  endKey: 135,
} as const;

/** Entries of the table from this value on are actions. */
export const firstAction = 128;

type Bytes = string | readonly number[];

/** Entry `state << 8 | byte` is the next state, or an action. */
export const jsonStates: Uint8Array = makeTable();

function makeTable(): Uint8Array {
  const table = new Uint8Array(64 << 8);
  let last: number = state.keyText;
  const newState = () => {
    last += 1;
    return last;
  };
  const put = (from: number, bytes: Bytes, to: number) => {
    const codes = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    for (const code of codes) table[(from << 8) | code] = to;
  };
  const space = " \t\n\r";
  const digits = "0123456789";

  put(state.start, "{", action.openObject);
  put(state.firstKey, '"', action.startKey);
  put(state.firstKey, "}", action.closeObject);
  put(state.key, '"', action.startKey);
  put(state.colon, ":", action.colon);
  put(state.firstItem, "]", action.closeList);
  for (const name of ["start", "done", "firstKey", "key", "colon", "value", "firstItem", "after"])
    put(state[name as keyof typeof state], space, state[name as keyof typeof state]);

  /** Adds the bytes that may follow a value, for a state in which the value may be complete. */
  const endsValue = (from: number) => {
    put(from, space, state.after);
    put(from, ",", action.comma);
    put(from, "}", action.closeObject);
    put(from, "]", action.closeList);
  };
  endsValue(state.after);

  const textStates = (from: number, end: number) => {
    const plain = Array.from({ length: 256 }, (_, code) => code).filter(
      (code) => code >= 0x20 && code !== 0x22 && code !== 0x5c,
    );
    const escaped = newState();
    put(from, plain, from);
    put(from, '"', end);
    put(from, "\\", escaped);
    put(escaped, '"\\/bfnrt', from);
    const hex = [newState(), newState(), newState(), newState()] as const;
    put(escaped, "u", hex[0]);
    for (const [at, digit] of hex.entries())
      put(digit, `${digits}abcdefABCDEF`, hex[at + 1] ?? from);
  };
  textStates(state.text, state.after);
  textStates(state.keyText, action.endKey);

  const literal = (text: string): number => {
    const first = newState();
    let from = first;
    for (let at = 1; at < text.length; at += 1) {
      const to = at === text.length - 1 ? state.after : newState();
      put(from, text.charAt(at), to);
      from = to;
    }
    return first;
  };
  const [minus, zero, whole, point, fraction, exponent, sign, power] = Array.from(
    { length: 8 },
    newState,
  ) as [number, number, number, number, number, number, number, number];
  put(minus, "0", zero);
  put(minus, "123456789", whole);
  put(whole, digits, whole);
  put(point, digits, fraction);
  put(fraction, digits, fraction);
  put(exponent, "+-", sign);
  put(exponent, digits, power);
  put(sign, digits, power);
  put(power, digits, power);
  for (const number of [zero, whole]) put(number, ".", point);
  for (const number of [zero, whole, fraction]) put(number, "eE", exponent);
  for (const number of [zero, whole, fraction, power]) endsValue(number);

  const literals = [literal("true"), literal("false"), literal("null")] as const;
  for (const from of [state.value, state.firstItem]) {
    put(from, "{", action.openObject);
    put(from, "[", action.openList);
    put(from, '"', state.text);
    put(from, "-", minus);
    put(from, "0", zero);
    put(from, "123456789", whole);
    for (const [at, first] of ["t", "f", "n"].entries()) put(from, first, literals[at] as number);
  }
  return table;
}
