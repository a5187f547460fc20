import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blocks,
  cycleOf,
  endpoint,
  newPrefixCache,
  pluginOf,
  request,
  scoresOf,
} from "../cycles.fixture.ts";
import type { Endpoint } from "./endpoint.ts";
import { rendezvous, textKey } from "./rendezvous.ts";

/** The same pods as another replica sees them, with separate live states. */
const pods = (count = 8) => Array.from({ length: count }, (_, at) => endpoint(`pod-${at}`));

const key = fc.nat({ max: 2 ** 31 - 1 }).map((high) => high * 2 ** 20 + (high % 977));

describe("rendezvous hashing", () => {
  it("selects the same endpoint for a key on every replica and in any order", () => {
    fc.assert(
      fc.property(key, fc.shuffledSubarray(pods(), { minLength: 1 }), (of, some) => {
        const elsewhere = pods().filter(({ id }) => some.some((each) => each.id === id));
        expect(rendezvous(of, some)?.id).toBe(rendezvous(of, elsewhere)?.id);
      }),
    );
  });

  it("moves only the keys of a removed endpoint", () => {
    const all = pods();
    const [gone, ...rest] = all as [Endpoint, ...Endpoint[]];
    fc.assert(
      fc.property(key, (of) => {
        const home = rendezvous(of, all);
        if (home !== gone) expect(rendezvous(of, rest)).toBe(home);
      }),
    );
  });

  it("spreads keys, and assigns none to an endpoint that is down", () => {
    const all = pods();
    const [down] = all as [Endpoint];
    down.live.isDown = true;
    const counts = new Map<string, number>();
    for (let at = 0; at < 7_000; at += 1) {
      const { id = "" } = rendezvous(textKey(`key ${at}`), all) ?? {};
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect(counts.has(down.id)).toBe(false);
    expect(counts.size).toBe(7);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(200);
  });
});

describe("the preferred endpoint", () => {
  const instructions = blocks(8, "i");
  const said = `${instructions}${blocks(4, "a")}`;
  const later = `${said}${blocks(2, "b")}`;

  /** Returns a replica that has sent the instructions of a service to every pod. */
  function replica(count: number) {
    const cache = newPrefixCache({}, { count });
    const all = pods();
    const match = (prompt: string) => cache.match(request({ prompts: [prompt] }), all);
    for (const each of all) cache.insert(match(instructions), each);
    const uncached = (prompt: string) => {
      const found = match(prompt);
      return new Map(all.map((each) => [each.id, found.uncachedTokens(each)]));
    };
    /** Returns the pods with the lowest cost for a prompt. */
    const homes = (prompt: string) => {
      const tokens = uncached(prompt);
      const least = Math.min(...tokens.values());
      return [...tokens].filter(([, each]) => each === least).map(([id]) => id);
    };
    const send = (prompt: string, to: string) => {
      const found = match(prompt);
      for (const each of all) found.uncachedTokens(each);
      cache.insert(found, all.find(({ id }) => id === to) as Endpoint);
    };
    return { uncached, homes, send, pods: all };
  }

  it("is the same on each replica for new prompts and for prompts that another replica has sent", () => {
    const [first, second] = [replica(2), replica(2)];
    const [home = ""] = first.homes(said);
    expect(first.homes(said)).toEqual([home]);
    first.send(said, home);
    expect(second.homes(later)).toEqual([home]);
    expect(first.homes(later)).toEqual([home]);
  });

  /** Returns the cost of a prompt on its preferred endpoint, and the highest cost on any endpoint. */
  const costs = ({ uncached, homes }: ReturnType<typeof replica>, prompt: string) => {
    const tokens = uncached(prompt);
    const [home = ""] = homes(prompt);
    return [tokens.get(home), Math.max(...tokens.values())];
  };

  const ofDocument = (name: string) => `${instructions}${blocks(200, name)}`;

  it("counts three quarters of unknown tokens as cached by default", () => {
    expect(costs(replica(2), said)).toEqual([64, 4 * 64]);
  });

  it("counts a quarter of unknown tokens as cached while prompts do not repeat, and three quarters when they do", () => {
    const given = replica(2);
    const send = (prompt: string) => given.send(prompt, given.homes(prompt)[0] as string);
    for (let at = 0; at < 150; at += 1) send(ofDocument(`document ${at}`));
    expect(costs(given, said)).toEqual([3 * 64, 4 * 64]);
    for (let at = 0; at < 20; at += 1) send(ofDocument("document 1"));
    expect(costs(given, said)).toEqual([64, 4 * 64]);
  });

  it("is not an endpoint that is much fuller than other endpoints", () => {
    const given = replica(2);
    const [home = ""] = given.homes(said);
    const full = given.pods.find(({ id }) => id === home) as Endpoint;
    full.live.runningTokens = 10_000;
    expect(given.homes(said)).toHaveLength(1);
    expect(given.homes(said)).not.toContain(home);
    for (const each of given.pods) each.live.runningTokens = 10_000;
    expect(given.homes(said)).toEqual([home]);
  });

  it("may have more load than other endpoints, up to the time to compute the prompt elsewhere", () => {
    const given = replica(2);
    const long = "x".repeat(4 * 3_000);
    const [home = ""] = given.homes(long);
    const full = given.pods.find(({ id }) => id === home) as Endpoint;
    full.live.runningTokens = 3_000;
    expect(given.homes(long)).toEqual([home]);
    full.live.runningTokens = 4_000;
    expect(given.homes(long)).not.toContain(home);
  });

  it("does not exist for a picker with one replica", () => {
    expect(replica(1).homes(said)).toHaveLength(8);
  });

  it("is one endpoint for a session that is new to each replica", () => {
    const headers = { "x-session-id": "s" };
    const scores = (count: number) =>
      scoresOf(
        pluginOf("session-affinity-scorer", { strategy: "session_id" }, { replicas: { count } }),
        cycleOf(pods(), { headers }),
      );
    expect(scores(2)).toEqual(scores(3));
    expect(scores(2).filter((score) => score === 1)).toHaveLength(1);
    expect(scores(1)).toEqual(Array.from({ length: 8 }, () => 0));
  });
});
