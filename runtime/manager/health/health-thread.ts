import { parentPort, workerData } from "node:worker_threads";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { limits } from "../../limits.ts";
import type { HealthThreadInput, HealthThreadMessage } from "./health-server.ts";
import { healthDefinition, healthService, statusOf } from "./health-service.ts";
import { Pulse } from "./pulse.ts";

/** The thread that responds to probes while the program's main thread is busy. */

const { port, rules, memory } = workerData as HealthThreadInput;
const pulse = new Pulse(memory);

const server = new Server({
  "grpc.max_concurrent_streams": limits.healthStreams.value,
  "grpc.max_receive_message_length": 1024,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.enable_channelz": 0,
});
server.addService(
  healthDefinition,
  healthService((service) => statusOf(rules, service, pulse.read())),
);

const bind = (host: string) =>
  new Promise<number>((resolve, reject) =>
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );

const notify = (message: HealthThreadMessage) => parentPort?.postMessage(message);

/** Binds every address of the machine, or every IPv4 address if it has no IPv6. */
bind("[::]")
  .catch(() => bind("0.0.0.0"))
  .then((bound) => notify({ port: bound }))
  .catch((error: Error) => notify({ failure: error.message }));
