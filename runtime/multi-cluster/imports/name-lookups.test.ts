import { expect, it } from "vitest";
import { type Lookup, mostLookups, NameLookups } from "./name-lookups.ts";

/** Names whose lookups the test completes. */
function slowNames() {
  const asked: string[] = [];
  const answers = new Map<string, (addresses: readonly string[]) => void>();
  const lookup: Lookup = (host) => {
    asked.push(host);
    return new Promise((resolve) => answers.set(host, resolve));
  };
  return { asked, answers, names: new NameLookups(lookup) };
}

it("a lookup times out for its caller, and the next caller shares it", async () => {
  const { asked, answers, names } = slowNames();
  await expect(names.addressesOf("a", 20)).rejects.toThrow("not found within 20 ms");
  const again = names.addressesOf("a", 10_000);
  answers.get("a")?.(["10.0.0.1"]);
  expect(await again).toEqual(["10.0.0.1"]);
  expect(asked).toEqual(["a"]);
  void names.addressesOf("a", 1).catch(() => {});
  expect(asked).toEqual(["a", "a"]);
});

it("S3: lookups without a response use only their share of threads, and queued lookups start when one completes", async () => {
  const { asked, answers, names } = slowNames();
  const all = ["a", "b", "c"].map((host) => names.addressesOf(host, 10_000));
  await Promise.resolve();
  expect(asked).toHaveLength(mostLookups);
  answers.get("a")?.(["10.0.0.1"]);
  await expect.poll(() => asked).toEqual(["a", "b", "c"]);
  for (const host of ["b", "c"]) answers.get(host)?.(["10.0.0.2"]);
  expect(await Promise.all(all)).toEqual([["10.0.0.1"], ["10.0.0.2"], ["10.0.0.2"]]);
});

it("a lookup that failed rejects, and the next call starts another lookup", async () => {
  let asked = 0;
  const names = new NameLookups(async () => {
    asked += 1;
    throw new Error("NXDOMAIN");
  });
  await expect(names.addressesOf("a", 1_000)).rejects.toThrow("NXDOMAIN");
  await expect(names.addressesOf("a", 1_000)).rejects.toThrow("NXDOMAIN");
  expect(asked).toBe(2);
});
