import { expect, it } from "vitest";
import { editMessage } from "./wire-edit.ts";

/** Field 1 as eight bytes, as a varint and as four bytes; field 2 as bytes. */
const message = Buffer.from([
  ...[0x09, 1, 2, 3, 4, 5, 6, 7, 8],
  ...[0x08, 0x7f],
  ...[0x0d, 1, 2, 3, 4],
  ...[0x12, 0x02, 0x61, 0x62],
]);

it("a field of another wire type than bytes has empty content, and stays unchanged or is removed", () => {
  const contents: string[] = [];
  const edit = (field: number, content: Buffer) => {
    contents.push(`${field} ${content}`);
    return Buffer.concat([content, Buffer.from("!")]);
  };
  expect(editMessage(message, edit)).toEqual(
    Buffer.concat([message.subarray(0, 16), Buffer.from([0x12, 0x03, 0x61, 0x62, 0x21])]),
  );
  expect(contents).toEqual(["1 ", "1 ", "1 ", "2 ab"]);
  expect(editMessage(message, () => undefined)).toEqual(Buffer.alloc(0));
  expect(editMessage(message, (_, content) => content)).toBe(message);
});
