import { describe, expect, it } from "vitest";
import {
  cycleOf,
  endpoint,
  leftBy,
  now,
  pluginOf,
  podsOf,
  scoresOf,
} from "../../cycles.fixture.ts";
import type { Endpoint } from "../../endpoints/endpoint.ts";

const [a, b, c] = ["a", "b", "c"].map((pod) => endpoint(pod)) as [Endpoint, Endpoint, Endpoint];
const b1 = endpoint("b", { rank: 1, port: 8001 });
const all = [a, b, c];

const token = (name: string) => Buffer.from(name).toString("base64");

describe("session affinity by token", () => {
  const left = (headers: Record<string, string>, parameters = {}, endpoints = all) =>
    leftBy(pluginOf("session-affinity-filter", parameters), cycleOf(endpoints, { headers }));

  it.each([
    ["no token", {}, ["a", "b", "c"]],
    ["a pod", { "x-session-token": token("default/b") }, ["b"]],
    ["a rank of a pod", { "x-session-token": token("default/b-rank-0") }, ["b"]],
    ["another namespace", { "x-session-token": token("other/b") }, ["a", "b", "c"]],
    ["a removed pod", { "x-session-token": token("default/z") }, ["a", "b", "c"]],
    ["a token that is not base64", { "x-session-token": "!!" }, ["a", "b", "c"]],
    ["an empty token", { "x-session-token": "" }, ["a", "b", "c"]],
  ])("keeps pods for %s (headers %j): %j", (_, headers: Record<string, string>, expected) => {
    expect(left(headers)).toEqual(expected);
  });

  it("keeps all ranks of a pod, or the named rank", () => {
    const endpoints = [a, b, b1];
    expect(left({ "x-session-token": token("default/b") }, {}, endpoints)).toEqual(["b", "b"]);
    const named = { "x-session-token": token("default/b-rank-1") };
    const found = pluginOf("session-affinity-filter").filter?.filter(
      cycleOf(endpoints, { headers: named }),
      endpoints,
    );
    expect(found).toEqual([b1]);
  });

  it("reads the configured header", () => {
    const parameters = { encodedEndpointHeaderConfig: { header: " X-Home " } };
    expect(left({ "x-home": token("default/c") }, parameters)).toEqual(["c"]);
    expect(left({ "x-session-token": token("default/c") }, parameters)).toEqual(podsOf(all));
  });

  it("scores the pod of the session 1, and other pods 0", () => {
    const scores = (headers: Record<string, string>) =>
      scoresOf(pluginOf("session-affinity-scorer"), cycleOf(all, { headers }));
    expect(scores({ "x-session-token": token("default/b") })).toEqual([0, 1, 0]);
    expect(scores({})).toEqual([0, 0, 0]);
  });

  it("sends the client a token with pod and rank, and recognizes it", () => {
    const { preRequestHook } = pluginOf("session-affinity-filter");
    const [header] = preRequestHook?.preRequest(cycleOf(all, {}), all[1] as never, []) ?? [];
    expect(header).toEqual(["x-session-token", token("default/b-rank-0")]);
    expect(left({ "x-session-token": header?.[1] ?? "" })).toEqual(["b"]);
  });
});

/** Returns a scorer by session id, with functions that score and send requests of sessions. */
function rig(parameters: object = {}) {
  const plugin = pluginOf("session-affinity-scorer", { strategy: "session_id", ...parameters });
  const cycle = (id: string, at: number, endpoints = all) =>
    cycleOf(endpoints, { at, headers: { "x-session-id": id } });
  return {
    plugin,
    scores: (id: string, at = now, endpoints = all) => scoresOf(plugin, cycle(id, at, endpoints)),
    /** Scores a request among endpoints and sends it to one of them. */
    send(id: string, to: Endpoint, at = now, endpoints = all) {
      const given = cycle(id, at, endpoints);
      scoresOf(plugin, given);
      plugin.preRequestHook?.preRequest(given, to, []);
    },
  };
}

const second = 1000;

describe("session affinity by session id", () => {
  it("remembers the pod of a session", () => {
    const { scores, send } = rig();
    expect(scores("s")).toEqual([0, 0, 0]);
    send("s", b);
    expect(scores("s")).toEqual([0, 1, 0]);
    expect(scores(" s ")).toEqual([0, 1, 0]);
    expect(scores("other")).toEqual([0, 0, 0]);
  });

  it("keeps the pod of a session while it exists, even if another pod was selected once", () => {
    const { scores, send } = rig();
    send("s", b);
    send("s", c);
    expect(scores("s")).toEqual([0, 1, 0]);
  });

  it("S4: distinguishes ids of any length, and remembers at most 100,000 sessions", () => {
    const { scores, send } = rig();
    const long = "s".repeat(60_000);
    send(`${long}1`, b);
    expect(scores(`${long}1`)).toEqual([0, 1, 0]);
    expect(scores(`${long}2`)).toEqual([0, 0, 0]);
    for (let at = 0; at < 100_000; at += 1) send(`other-${at}`, c);
    expect(scores(`${long}1`)).toEqual([0, 0, 0]);
    expect(scores("other-0")).toEqual([0, 0, 1]);
  });

  it("moves a session whose pod was removed", () => {
    const { scores, send } = rig();
    send("s", b);
    send("s", c, now, [a, c]);
    expect(scores("s")).toEqual([0, 0, 1]);
  });

  it("forgets a session that was not used for 300 s", () => {
    const { scores, send } = rig();
    send("s", b);
    expect(scores("s", now + 300 * second)).toEqual([0, 1, 0]);
    expect(scores("s", now + 300 * second + 1)).toEqual([0, 0, 0]);
    send("s", b, now + 299 * second);
    expect(scores("s", now + 599 * second)).toEqual([0, 1, 0]);
    send("s", c, now + 900 * second);
    expect(scores("s", now + 900 * second)).toEqual([0, 0, 1]);
  });

  it("forgets a session after evictionTtlSeconds", () => {
    const { scores, send } = rig({ sessionIdConfig: { evictionTtlSeconds: 0.5 } });
    send("s", b);
    expect(scores("s", now + 500)).toEqual([0, 1, 0]);
    expect(scores("s", now + 501)).toEqual([0, 0, 0]);
  });

  it("reads the first header that contains an id", () => {
    const sources = [{ header: "X-Chat" }, { header: "x-agent" }];
    const { plugin } = rig({ sessionIdConfig: { sources } });
    const cycle = (headers: Record<string, string>) => cycleOf(all, { headers });
    plugin.preRequestHook?.preRequest(cycle({ "x-agent": "1", "x-chat": " " }), a, []);
    expect(scoresOf(plugin, cycle({ "x-chat": "1", "x-agent": "2" }))).toEqual([1, 0, 0]);
    expect(scoresOf(plugin, cycle({ "x-session-id": "1" }))).toEqual([0, 0, 0]);
  });

  it("keeps the endpoint of the configured profile", () => {
    const { plugin, scores } = rig({ profileName: "prefill" });
    const cycle = cycleOf(all, { headers: { "x-session-id": "s" } });
    plugin.preRequestHook?.preRequest(cycle, a, [c]);
    expect(scores("s")).toEqual([0, 0, 0]);
    cycle.results.set("prefill", { endpoints: [c], scored: [] });
    plugin.preRequestHook?.preRequest(cycle, a, [c]);
    expect(scores("s")).toEqual([0, 0, 1]);
  });

  it("works as a filter", () => {
    const plugin = pluginOf("session-affinity-filter", { strategy: "session_id" });
    const cycle = cycleOf(all, { headers: { "x-session-id": "s" } });
    expect(leftBy(plugin, cycle)).toEqual(["a", "b", "c"]);
    plugin.preRequestHook?.preRequest(cycle, c, []);
    expect(leftBy(plugin, cycle)).toEqual(["c"]);
    expect(leftBy(plugin, cycle, [a, b])).toEqual(["a", "b"]);
  });

  it.each([
    [{ strategy: "cookie" }, "Invalid option"],
    [
      { sessionIdConfig: { sources: [{}] } },
      "only headers are read: set `header`, and remove `attribute`",
    ],
    [
      { sessionIdConfig: { sources: [{ attribute: "agent-identity" }] } },
      "only headers are read: set `header`, and remove `attribute`",
    ],
    [
      { sessionIdConfig: { sources: [{ header: "x", attribute: "y" }] } },
      "only headers are read: set `header`, and remove `attribute`",
    ],
    [{ sessionIdConfig: { evictionTtlSeconds: -1 } }, ">=0"],
  ])("refuses %j", (parameters, message) => {
    expect(() => pluginOf("session-affinity-scorer", parameters)).toThrow(message);
  });
});
