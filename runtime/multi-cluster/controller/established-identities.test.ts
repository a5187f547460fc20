import { expect, it } from "vitest";
import { EstablishedIdentities } from "./established-identities.ts";

const nothing = { refused: new Map<string, string>(), doubtful: new Map<string, string>() };
const member = (name: string, identity: string | undefined = `uid of ${name}`) => ({
  name,
  identity,
});

it("established identities survive a restart", () => {
  const before = new EstablishedIdentities();
  before.settle([member("b"), member("a")], nothing);
  expect(before.text).toBe('{"a":"uid of a","b":"uid of b"}');
  const after = new EstablishedIdentities();
  after.read(before.text);
  expect(after.of("a")).toBe("uid of a");
  after.settle([member("a", undefined), member("b", "another")], nothing);
  expect(after.text).toBe('{"a":"uid of a","b":"another"}');
  after.settle([member("b", "another")], nothing);
  expect(after.text).toBe('{"b":"another"}');
});

it("a claim that is refused or in doubt is not established", () => {
  const established = new EstablishedIdentities();
  established.read('{"liar":"its own"}');
  const members = [
    member("liar", "uid of a"),
    member("a"),
    member("x", "same"),
    member("y", "same"),
  ];
  established.settle(members, {
    refused: new Map([["liar", "is the same cluster as a"]]),
    doubtful: new Map([["y", "says that it is the same cluster as x"]]),
  });
  expect(established.text).toBe('{"a":"uid of a","liar":"its own"}');
});

it.each(["[", "1", '{"a":1}', '["a"]x'])(
  "the text %s is rejected and changes no identity",
  (text) => {
    const established = new EstablishedIdentities();
    expect(() => established.read(text)).toThrow();
    expect(established.text).toBe("{}");
  },
);
