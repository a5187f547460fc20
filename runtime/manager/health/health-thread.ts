import { parentPort, workerData } from "node:worker_threads";
import { limits } from "../../limits.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import type { HealthThreadInput, HealthThreadMessage } from "./health-server.ts";
import { healthMethods, statusOf } from "./health-service.ts";
import { Pulse } from "./pulse.ts";

/** The thread that responds to probes while the program's main thread is busy. */

const { port, rules, memory } = workerData as HealthThreadInput;
const pulse = new Pulse(memory);

const server = new GrpcServer(
  healthMethods((service) => statusOf(rules, service, pulse.read())),
  {
    streamsOfConnection: limits.healthStreams.value,
    connectionsOfAddress: limits.healthConnectionsOfAddress.value,
    connections: limits.healthConnections.value,
  },
);

const notify = (message: HealthThreadMessage) => parentPort?.postMessage(message);

server
  .listen(port)
  .then((bound) => notify({ port: bound }))
  .catch((error: Error) => notify({ failure: error.message }));
