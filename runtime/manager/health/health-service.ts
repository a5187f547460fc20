import type { ServerHttp2Stream } from "node:http2";
import { limits } from "../../limits.ts";
import { frames, grpcStatus } from "../grpc/grpc-frames.ts";
import type { Methods } from "../grpc/grpc-server.ts";
import { readMessage, refuse, respond, respondWith } from "../grpc/unary.ts";
import type { Condition } from "./pulse.ts";

export const healthStatus = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;
export type HealthStatus = (typeof healthStatus)[keyof typeof healthStatus];

/** Kind of check that a service name requests. */
export type HealthQuestion = "liveness" | "readiness";

/** Kind of check by service name. */
export interface HealthRules {
  readonly named: Readonly<Record<string, HealthQuestion>>;
  /** Kind of check for all other names; if undefined, they are unknown. */
  readonly others: HealthQuestion | undefined;
}

/** Returns the response to a probe. */
export function statusOf(
  { named, others }: HealthRules,
  service: string,
  { alive, ready }: Condition,
): HealthStatus {
  const question = Object.hasOwn(named, service) ? named[service] : others;
  if (question === undefined) return healthStatus.serviceUnknown;
  return (question === "liveness" ? alive : ready) ? healthStatus.serving : healthStatus.notServing;
}

/** Interval at which the status is checked for watchers, in ms. */
const watchIntervalMs = 500;

/** Further watchers are rejected, because a watcher keeps a stream open for an unlimited time. */
export const maxWatchers = limits.healthWatchers.value;

/** Methods of grpc.health.v1.Health: the request contains the name of a service, the response its status. */
export const healthPaths = {
  check: "/grpc.health.v1.Health/Check",
  watch: "/grpc.health.v1.Health/Watch",
} as const;

/** Check, as a client of grpc-js sends it. */
export const healthCheck = {
  path: healthPaths.check,
  requestSerialize: (service: string): Buffer => {
    const name = Buffer.from(service);
    return name.length === 0 ? name : Buffer.concat([Buffer.of(serviceTag, name.length), name]);
  },
  responseDeserialize: (bytes: Buffer) => bytes[1] as HealthStatus,
} as const;

/** Serves the health of a process's services; calls `statusOf` for each check. */
export function healthMethods(statusOf: (service: string) => HealthStatus): Methods {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    for (const notify of watchers) notify();
  };
  const watch = (stream: ServerHttp2Stream, service: string) => {
    if (watchers.size >= maxWatchers) {
      const message = `${maxWatchers} watch already; use Check`;
      refuse(stream, grpcStatus.resourceExhausted, message);
      return;
    }
    let notified: HealthStatus | undefined;
    const notify = () => {
      const status = statusOf(service);
      if (status !== notified) stream.write(frames([responseOf(status)]));
      notified = status;
    };
    respond(stream);
    notify();
    if (watchers.size === 0) timer = setInterval(check, watchIntervalMs).unref();
    watchers.add(notify);
    stream.once("close", () => {
      watchers.delete(notify);
      if (watchers.size === 0) clearInterval(timer);
    });
  };
  return {
    [healthPaths.check]: (stream) =>
      readService(stream, (service) => respondWith(stream, responseOf(statusOf(service)))),
    [healthPaths.watch]: (stream) => readService(stream, (service) => watch(stream, service)),
  };
}

/** Tags of field 1 as bytes and as a varint. */
const serviceTag = 0x0a;
const statusTag = 0x08;

/** Length of the longest name, in bytes: its length is one byte, as is its tag. */
const maxName = 127;

/** Reads HealthCheckRequest { string service = 1; }. */
function readService(stream: ServerHttp2Stream, receive: (service: string) => void): void {
  readMessage(stream, 2 + maxName, (bytes) => {
    if (bytes.length === 0) receive("");
    else if (bytes[0] === serviceTag && bytes[1] === bytes.length - 2)
      receive(bytes.toString("utf8", 2));
    else refuse(stream, grpcStatus.invalidArgument, "the message is not a HealthCheckRequest");
  });
}

/** Formats HealthCheckResponse { ServingStatus status = 1; }. */
const responseOf = (status: HealthStatus): Buffer => Buffer.of(statusTag, status);
