import { beforeEach, describe, expect, it } from "vitest";
import { endpoint, metrics } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { constants } from "../load-constants.ts";
import { Load } from "./load.ts";
import { ServerModels } from "./server-models.ts";

let models: ServerModels;
let server: Endpoint;

beforeEach(() => {
  models = new ServerModels();
  server = endpoint("a");
});

const read = (at: number, change = {}) => {
  server.live.metrics = metrics({ at, ...change });
  models.read(server);
};

describe("ServerModels", () => {
  it("ends an unobserved load when the server no longer has it", () => {
    read(0);
    models.unobserve(new Load(server, 100, false), 0);
    read(constants.recentMs + 1, { runningRequests: 1 });
    expect(server.live.runningRequests).toBe(1);
    read(constants.recentMs + 2);
    expect(server.live).toMatchObject({ runningRequests: 0, runningTokens: 0 });
  });

  it("ends the loads of a server that left, and forgets its slots", () => {
    models.of(server.live).join(3, 1_000);
    models.unobserve(new Load(server, 100, false), 0);
    models.retain([endpoint("b")]);
    expect(server.live.runningRequests).toBe(0);
    models.of(server.live).join(5, 2_000);
    expect(models.of(server.live)).toMatchObject({ slots: { count: 5 }, since: 2_000 });
  });

  it("keeps the slots of a server that joins twice", () => {
    models.of(server.live).join(3, 1_000);
    models.of(server.live).join(5, 2_000);
    expect(models.of(server.live)).toMatchObject({ slots: { count: 3 }, since: 1_000 });
  });

  it("estimates the external load only if there are several replicas", () => {
    const replicas = { count: 2 };
    models = new ServerModels(replicas);
    models.sent(200);
    const reading = { sentBefore: 0, prefillingBefore: 0, external: 1, externalNow: 1 };
    server.live.reading = reading;
    const counts = { firstTokens: 0, endedRequests: 0 };
    read(0, counts);
    read(50, { ...counts, runningRequests: 1 });
    expect(server.live.externalTokens).toBe(200);
    replicas.count = 1;
    read(100, { ...counts, runningRequests: 1 });
    expect(server.live.externalTokens).toBe(0);
  });
});
