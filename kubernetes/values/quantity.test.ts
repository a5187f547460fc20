import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatQuantity, parseQuantity, times, toUnits, zero } from "./quantity.ts";

const sumOf = (...written: unknown[]) =>
  formatQuantity(written.map((each) => parseQuantity(each) ?? zero).reduce(add, zero));

describe("quantities", () => {
  it.each([
    [["500m", "500m"], "1"],
    [["500m", "250m"], "750m"],
    [["1", 2], "3"],
    [["64Gi", "64Gi"], "128Gi"],
    [["512Mi", "512Mi"], "1Gi"],
    [["1Gi", "1M"], "1074741824"],
    [["1.5Gi"], "1536Mi"],
    [["0.1"], "100m"],
    [["1e3"], "1k"],
    [["1E"], "1E"],
    [["100n", "100n"], "200n"],
    [["0.0000000001"], "1n"],
    [["-1", "1"], "0"],
    [[".5"], "500m"],
    [["5."], "5"],
  ])("the sum of %j is %s", (written, text) => {
    expect(sumOf(...written)).toBe(text);
  });

  it.each(["", "abc", "1.2.3", "1 Gi", "0x10", "1KI", "--1", null, {}, true])(
    "%j is not a quantity",
    (text) => {
      expect(parseQuantity(text)).toBeUndefined();
    },
  );

  it("formatted quantities parse to the same value", () => {
    const suffix = fc.constantFrom(
      "",
      "n",
      "u",
      "m",
      "k",
      "M",
      "G",
      "T",
      "Ki",
      "Mi",
      "Gi",
      "Ti",
      "e2",
    );
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(999), suffix, (whole, fraction, unit) => {
        const quantity = parseQuantity(`${whole}.${fraction}${unit}`) ?? zero;
        expect(parseQuantity(formatQuantity(quantity))?.nanos).toBe(quantity.nanos);
      }),
    );
  });

  it("multiplication equals repeated addition", () => {
    fc.assert(
      fc.property(fc.constantFrom("1", "250m", "3Gi", "7"), fc.nat(40), (text, factor) => {
        const quantity = parseQuantity(text) ?? zero;
        const added = Array.from({ length: factor }, () => quantity).reduce(add, zero);
        expect(times(quantity, factor).nanos).toBe(added.nanos);
      }),
    );
  });

  it("toUnits rounds up to whole units", () => {
    expect(toUnits(parseQuantity("8") ?? zero)).toBe(8);
    expect(toUnits(parseQuantity("7500m") ?? zero)).toBe(8);
  });
});
