import { afterEach, expect, it } from "vitest";
import {
  type Endpoint,
  newLiveState,
  unreportedMetrics,
} from "../../../scheduling/endpoints/endpoint.ts";
import { operatorServer } from "../../manager/pages/operator-server.ts";
import { emptySnapshot, type PoolSnapshot } from "../datastore/snapshot.ts";
import { poolMetrics } from "./pool-metrics.ts";
import { withOlderNames } from "./upstream-names.ts";

const pods = 5_000;

/** Endpoints read in the current turn of the event loop, and the maximum of all turns. */
const looked = { inTurn: 0, most: 0 };

function endpointAt(at: number): Endpoint {
  const live = {
    ...newLiveState(),
    metrics: { ...unreportedMetrics, at: 0, reportsRequests: true },
  };
  return {
    ...{ id: `ns/p${at}-rank-0`, namespace: "ns", pod: `p${at}`, podUid: `u${at}`, rank: 0 },
    ...{ ip: "10.0.0.1", port: 8000, address: "10.0.0.1:8000", labels: {} },
    get live() {
      looked.inTurn += 1;
      looked.most = Math.max(looked.most, looked.inTurn);
      return live;
    },
  };
}

const pool = { name: "pool" } as NonNullable<PoolSnapshot["pool"]>;
const endpoints = Array.from({ length: pods }, (_, at) => endpointAt(at));
const snapshot = { ...emptySnapshot, pool, endpoints };

const perEndpoint = withOlderNames(
  poolMetrics({ snapshot: () => snapshot, now: () => 0, staleAfterMs: 2_000 }).filter(
    ({ labels }) => labels.length > 1,
  ),
);

const server = operatorServer({
  pages: { families: perEndpoint, debug: {} },
  ...{ access: undefined, tls: undefined, onError: () => {} },
});
afterEach(() => server.close());

it("the metrics of 5,000 endpoints are written over many turns of the event loop, each series once", async () => {
  const port = await server.listen(0);
  const turn = () => {
    looked.inTurn = 0;
    turning = setImmediate(turn);
  };
  let turning = setImmediate(turn);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  clearImmediate(turning);
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(series).toHaveLength(pods * perEndpoint.length);
  expect(new Set(series).size).toBe(series.length);
  expect(looked.most).toBeLessThan(pods / 2);
});
