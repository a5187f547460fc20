import { describe, expect, it } from "vitest";
import { seeded } from "../../testing/samples/seeded.ts";
import { Popularity } from "./popularity.ts";

const random = seeded(1);

/** Random keys that no other prompt has. */
const unique = (count: number) =>
  Float64Array.from({ length: count }, () => Math.floor(random() * 2 ** 53));

describe("Popularity", () => {
  it("is 0 before the first prompt", () => {
    expect(new Popularity().share(1)).toBe(0);
  });

  it("stays low after the first few prompts", () => {
    const popularity = new Popularity();
    popularity.add(Float64Array.of(7));
    expect(popularity.share(7)).toBeLessThan(0.05);
  });

  it("is the share of the prompts that have the block, whatever else they contain", () => {
    const popularity = new Popularity();
    const [common, often] = [unique(1), unique(1)];
    for (let at = 0; at < 4_000; at += 1)
      popularity.add(Float64Array.of(...common, ...(at % 10 === 0 ? often : []), ...unique(30)));
    expect(popularity.share(common[0] as number)).toBeGreaterThan(0.7);
    expect(popularity.share(often[0] as number)).toBeGreaterThan(0.06);
    expect(popularity.share(often[0] as number)).toBeLessThan(0.13);
    expect(popularity.share(unique(1)[0] as number)).toBeLessThan(0.03);
  });

  it("fades when prompts no longer have the block", () => {
    const popularity = new Popularity();
    for (let at = 0; at < 1_000; at += 1) popularity.add(Float64Array.of(7));
    for (let at = 0; at < 4_000; at += 1) popularity.add(unique(1));
    expect(popularity.share(7)).toBeLessThan(0.02);
  });
});
