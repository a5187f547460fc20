import { join } from "node:path";
import {
  Client,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type HealthStatus,
  healthDefinition,
  healthService,
  healthStatus,
  maxWatchers,
} from "./health-service.ts";

/** A client generated from the proto. */
const { Health } = (
  loadPackageDefinition(
    loadSync(join(import.meta.dirname, "health.proto"), { enums: String }),
  ) as unknown as { grpc: { health: { v1: { Health: ServiceClientConstructor } } } }
).grpc.health.v1;

const server = new Server();
let client: Client & {
  Check(request: object, answer: (error: Error | null, response: object) => void): void;
  Watch(request: object): ClientReadableStream<{ status: string }>;
};
let now: HealthStatus = healthStatus.serving;

beforeAll(async () => {
  server.addService(
    healthDefinition,
    healthService((service) => (service === "unheard" ? healthStatus.serviceUnknown : now)),
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  client = new Health(`127.0.0.1:${port}`, credentials.createInsecure()) as never;
});
afterAll(() => {
  client.close();
  server.forceShutdown();
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

it("a request that is not a HealthCheckRequest is rejected", async () => {
  const raw = new Client(client.getChannel().getTarget(), credentials.createInsecure());
  const call = new Promise((_, reject) =>
    raw.makeUnaryRequest(
      healthDefinition.Check.path,
      () => Buffer.from("0a7f61", "hex"),
      (bytes) => bytes,
      {},
      (error) => reject(error),
    ),
  );
  await expect(call).rejects.toThrow(/deserializing/);
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
            resolve("told");
            again.cancel();
          }),
      );
    })
    .toBe("told");
});
