/** Bodies with many values in few bytes: valid JSON that is expensive to build. */

export const MiB = 2 ** 20;

/** `head`, as many `unit`s as fit into `bytes`, `tail`. */
export function filled(head: string, unit: string, tail: string, bytes: number): Buffer {
  const count = Math.floor((bytes - head.length - tail.length) / unit.length);
  return Buffer.from(head + unit.repeat(count) + tail);
}

const named = '{"model":"real",';

export const tokenLists = (bytes: number) => filled(`${named}"prompt":[`, "[0],", "[0]]}", bytes);
export const texts = (bytes: number) => filled(`${named}"prompt":[`, '"a",', '"a"]}', bytes);
export const tokens = (bytes: number) => filled(`${named}"prompt":[`, "7,", "7]}", bytes);
export const escapes = (bytes: number) => filled(`${named}"prompt":"`, "\\u0041\\n", '"}', bytes);
export const escapesInMessage = (bytes: number) =>
  filled(`${named}"messages":[{"role":"user","content":"`, "\\u0041\\n", '"}]}', bytes);
export const objects = (bytes: number) =>
  filled(`${named}"prompt":"hello","tools":[`, "{},", "{}]}", bytes);
export const members = (bytes: number) => filled(`${named}"prompt":"hello"`, ',"a":0', "}", bytes);
export const repeated = (bytes: number) =>
  filled(`${named}"prompt":"hello"`, ',"input":0', "}", bytes);
export const salted = (bytes: number) =>
  filled(`${named}"prompt":["a","b","c"],"cache_salt":"`, "s", '"}', bytes);
export const nested = (bytes: number) => {
  const depth = Math.floor(bytes / 2) - 40;
  return Buffer.from(`${named}"prompt":"hello","x":${"[".repeat(depth)}${"]".repeat(depth)}}`);
};
export const parts = (bytes: number) =>
  filled(
    `${named}"messages":[{"role":"user","content":[`,
    '{"type":"text","text":"a"},',
    '{"type":"text","text":"a"}]}]}',
    bytes,
  );
export const messages = (bytes: number) =>
  filled(`${named}"messages":[`, '{"content":"a"},', '{"content":"a"}]}', bytes);
export const toolCalls = (bytes: number) =>
  filled(
    `${named}"messages":[{"role":"assistant","tool_calls":[`,
    '{"function":{"name":"f"}},',
    '{"function":{"name":"f"}}]}]}',
    bytes,
  );
export const blocks = (bytes: number) =>
  filled(
    `${named}"max_tokens":1,"messages":[{"role":"user","content":[`,
    '{"type":"tool_use","input":[[]]},',
    "{}]}]}",
    bytes,
  );
export const items = (bytes: number) =>
  filled(`${named}"input":[`, '{"role":"user"},', "{}]}", bytes);
export const inputs = (bytes: number) => filled(`${named}"input":[`, "[1],", "[1]]}", bytes);

/** A multipart form whose file has lines that are the boundary but for its last character. */
export function form(size: number): Buffer {
  const boundary = `${"x".repeat(32)}y`;
  const head = (disposition: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  const line = Buffer.from(`\r\n--${"x".repeat(32)}z`);
  return Buffer.concat([
    Buffer.from(`${head('name="model"')}real\r\n${head('name="file"; filename="a"')}`),
    Buffer.alloc(size, line),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}
