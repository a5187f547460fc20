import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { endpoint, metrics, now, staleAfterMs } from "../cycles.fixture.ts";
import { Load } from "./load.ts";
import { SentRequest } from "./sent-request.ts";
import { ServerModels } from "./server-models.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Sends a request to a server and leaves its response unobserved. */
function unobserved(isLone: boolean) {
  const servers = new ServerModels();
  const server = endpoint("a", { live: { metrics: metrics() } });
  const load = new Load(server, 100, isLone);
  const chance = { now, random: () => 0.5 };
  servers.health.sent(server, load, "m", chance);
  const sent = new SentRequest(servers, {
    ...{ primary: load, prefillers: [], model: "m", clients: [], chance, isLone },
    ...{ responseHeaders: [], pairs: undefined, staleAfterMs },
  });
  expect(sent.unobserve(now, () => {})).toBe(true);
  return { servers, load, sent: new WeakRef(sent) };
}

it("an unobserved request is freed before its load ends, unless its first token shows the server's speed", async () => {
  const one = unobserved(false);
  const lone = unobserved(true);
  await sleep(0);
  collectGarbage();
  expect(one.sent.deref()).toBeUndefined();
  expect(lone.sent.deref()).toBeDefined();
  expect([one.load.live.runningRequests, lone.load.live.runningRequests]).toEqual([1, 1]);
});
