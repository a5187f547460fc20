import { join } from "node:path";
import {
  Client,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GrpcServer } from "../grpc/grpc-server.ts";
import {
  type HealthStatus,
  healthMethods,
  healthPaths,
  healthStatus,
  maxWatchers,
} from "./health-service.ts";

/** A client generated from the proto. */
const { Health } = (
  loadPackageDefinition(
    loadSync(join(import.meta.dirname, "health.proto"), { enums: String }),
  ) as unknown as { grpc: { health: { v1: { Health: ServiceClientConstructor } } } }
).grpc.health.v1;

const server = new GrpcServer(
  healthMethods((service) => (service === "unheard" ? healthStatus.serviceUnknown : now)),
);
let client: Client & {
  Check(request: object, answer: (error: Error | null, response: object) => void): void;
  Watch(request: object): ClientReadableStream<{ status: string }>;
};
let now: HealthStatus = healthStatus.serving;

beforeAll(async () => {
  const port = await server.listen(0, "127.0.0.1");
  client = new Health(`127.0.0.1:${port}`, credentials.createInsecure()) as never;
});
afterAll(() => {
  client.close();
  server.abort();
});

const check = (request: object) =>
  new Promise((resolve, reject) =>
    client.Check(request, (error, response) => (error ? reject(error) : resolve(response))),
  );

it.each([
  [{}, "SERVING"],
  [{ service: "inference-extension" }, "SERVING"],
  [{ service: "unheard" }, "SERVICE_UNKNOWN"],
])("Check with %j responds %s", async (request, status) => {
  now = healthStatus.serving;
  expect(await check(request)).toEqual({ status });
});

it("Watch sends the status immediately, and each change", async () => {
  now = healthStatus.serving;
  const call = client.Watch({ service: "s" });
  call.on("error", () => {});
  const statuses = call[Symbol.asyncIterator]();
  expect((await statuses.next()).value).toEqual({ status: "SERVING" });
  now = healthStatus.notServing;
  expect((await statuses.next()).value).toEqual({ status: "NOT_SERVING" });
  call.cancel();
});

it.each([
  ["is not a HealthCheckRequest", "0a7f61", "the message is not a HealthCheckRequest"],
  ["is too long", "0a7f".padEnd(300, "61"), "a message of 150 bytes is larger than 129"],
])("a request that %s is rejected", async (_, bytes, message) => {
  const raw = new Client(client.getChannel().getTarget(), credentials.createInsecure());
  const call = new Promise((_, reject) =>
    raw.makeUnaryRequest(
      healthPaths.check,
      () => Buffer.from(bytes, "hex"),
      (response) => response,
      {},
      (error) => reject(error),
    ),
  );
  await expect(call).rejects.toThrow(message);
  raw.close();
});

it("S5: the service accepts 100 watchers and rejects the next one", async () => {
  now = healthStatus.serving;
  const calls = Array.from({ length: maxWatchers }, () => client.Watch({ service: "s" }));
  for (const call of calls) call.on("error", () => {});
  await Promise.all(calls.map((call) => new Promise((resolve) => call.once("data", resolve))));
  const refused = client.Watch({ service: "s" });
  const code = () =>
    new Promise((resolve) =>
      refused.on("error", (error) => resolve((error as Error & { code: number }).code)),
    );
  expect(await code()).toBe(8);
  for (const call of calls) call.cancel();
  await expect
    .poll(async () => {
      const again = client.Watch({ service: "s" });
      return new Promise((resolve) =>
        again
          .on("error", () => resolve("refused"))
          .once("data", () => {
            resolve("served");
            again.cancel();
          }),
      );
    })
    .toBe("served");
});
