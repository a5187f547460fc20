import { expect, test } from "vitest";
import { UndeliveredMessages } from "./undelivered-messages.ts";

const block = (message: string, severity = "warn") =>
  `failed to deliver log message. \nerror: Error: resource p [pulumi:providers:kubernetes] failed to register \noriginal message: ${message}\n message severity: ${severity}\n`;

function received(...texts: string[]) {
  const printed: string[] = [];
  const logged: [string, string][] = [];
  const messages = new UndeliveredMessages(
    (text) => printed.push(text),
    (severity, message) => logged.push([severity, message]),
  );
  for (const text of texts) messages.push(text);
  messages.end();
  return { printed: printed.join(""), logged };
}

test("messages are separated from the lines around them, in any division into lines", () => {
  const text = `before\n${block("one\ntwo")}between\n${block("three", "error")}${block("four", "info")}after\n`;
  const expected = {
    printed: "before\nbetween\nafter\n",
    logged: [
      ["warn", "one\ntwo"],
      ["error", "three"],
      ["info", "four"],
    ],
  };
  expect(received(text)).toEqual(expected);
  expect(received(...text.split(/(?<=\n)/))).toEqual(expected);
});

test("other output is printed as it is, also a message that is not complete", () => {
  const own = "it failed to deliver log message. \n";
  expect(received(own)).toEqual({ printed: own, logged: [] });
  const cut = block("one").slice(0, -20);
  expect(received(cut)).toEqual({ printed: cut, logged: [] });
});

test("a message without an end is printed once it is longer than a million characters", () => {
  const endless = `${block("one").split("one")[0]}${"x".repeat(1_000_001)}\n`;
  expect(received(endless, "more\n")).toEqual({ printed: `${endless}more\n`, logged: [] });
});
