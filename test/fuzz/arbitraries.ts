import fc from "fast-check";

export const bytes = (maxLength = 512) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

/** Bytes with some of them changed, left out, doubled. */
export const spoiled = (whole: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      whole,
      fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(255), fc.constantFrom("set", "cut", "double")), {
        maxLength: 4,
      }),
    )
    .map(([buffer, changes]) =>
      changes.reduce((before, [at, value, how]) => {
        if (before.length === 0) return before;
        const place = at % before.length;
        if (how === "cut")
          return Buffer.concat([before.subarray(0, place), before.subarray(place + 1)]);
        if (how === "double") return Buffer.concat([before.subarray(0, place), before]);
        const after = Buffer.from(before);
        after[place] = value;
        return after;
      }, buffer),
    );

/** The same bytes, cut anywhere. */
export const inPieces = (whole: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer[]> =>
  fc.tuple(whole, fc.array(fc.nat(200), { maxLength: 6 })).map(([buffer, cuts]) => {
    const pieces: Buffer[] = [];
    let rest = buffer;
    for (const cut of cuts) {
      pieces.push(rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    return [...pieces, rest];
  });

const anything = fc.oneof(
  fc.constantFrom<unknown[]>(null, "", 0, -1, 1e21, true, [], {}, [null], "__proto__"),
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A valid object, except that some of its values are replaced by anything or removed. */
export const spoiledObject = (whole: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(whole, fc.array(fc.tuple(fc.nat(1_000), fc.option(anything)), { maxLength: 3 }))
    .map(([object, changes]) => {
      let result: unknown = structuredClone(object);
      for (const [at, value] of changes) {
        const places = placesOf(result);
        const place = places[at % Math.max(1, places.length)];
        if (place === undefined) result = value;
        else if (value === null && !Array.isArray(place.holder)) delete place.holder[place.key];
        else place.holder[place.key] = structuredClone(value);
      }
      return result;
    });

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Returns every path of an object. */
export function placesOf(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}
