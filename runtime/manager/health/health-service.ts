import {
  status as grpcStatus,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { limits } from "../../limits.ts";
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

/** grpc.health.v1.Health: the request contains the name of a service, the response its status. */
export const healthDefinition = {
  Check: method("Check", false),
  Watch: method("Watch", true),
} satisfies ServiceDefinition;

function method(name: string, responseStream: boolean) {
  return {
    path: `/grpc.health.v1.Health/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: writeRequest,
    requestDeserialize: readRequest,
    responseSerialize: writeResponse,
    responseDeserialize: readResponse,
  } as const;
}

interface HealthRequest {
  readonly service: string;
}
interface HealthResponse {
  readonly status: HealthStatus;
}

/** Serves the health of a process's services; calls `statusOf` for each check. */
export function healthService(statusOf: (service: string) => HealthStatus) {
  const watchers = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    for (const notify of watchers) notify();
  };
  const leave = (notify: () => void) => {
    watchers.delete(notify);
    if (watchers.size === 0) clearInterval(timer);
  };
  return {
    Check(
      call: ServerUnaryCall<HealthRequest, HealthResponse>,
      answer: sendUnaryData<HealthResponse>,
    ): void {
      answer(null, { status: statusOf(call.request.service) });
    },
    Watch(call: ServerWritableStream<HealthRequest, HealthResponse>): void {
      if (watchers.size >= maxWatchers) {
        call.emit("error", {
          code: grpcStatus.RESOURCE_EXHAUSTED,
          details: `${maxWatchers} watch already; use Check`,
        });
        return;
      }
      let notified: HealthStatus | undefined;
      const notify = () => {
        const status = statusOf(call.request.service);
        if (status !== notified) call.write({ status });
        notified = status;
      };
      notify();
      if (watchers.size === 0) timer = setInterval(check, watchIntervalMs).unref();
      watchers.add(notify);
      call.on("cancelled", () => leave(notify)).on("close", () => leave(notify));
    },
  };
}

/** Tags of field 1 as bytes and as a varint. */
const serviceTag = 0x0a;
const statusTag = 0x08;

/**
 * Parses HealthCheckRequest { string service = 1; }. Names are shorter than 128 bytes, so their length is one byte.
 * Returns an object, because grpc-js takes an empty string for a missing message.
 */
function readRequest(bytes: Buffer): HealthRequest {
  if (bytes.length === 0) return { service: "" };
  if (bytes[0] !== serviceTag || bytes[1] !== bytes.length - 2 || bytes.length > 129)
    throw new Error("no HealthCheckRequest with a name of less than 128 bytes");
  return { service: bytes.toString("utf8", 2) };
}

function writeRequest({ service }: HealthRequest): Buffer {
  const name = Buffer.from(service);
  return name.length === 0 ? name : Buffer.concat([Buffer.of(serviceTag, name.length), name]);
}

/** Formats HealthCheckResponse { ServingStatus status = 1; }. */
function writeResponse({ status }: HealthResponse): Buffer {
  return Buffer.of(statusTag, status);
}

function readResponse(bytes: Buffer): HealthResponse {
  return { status: bytes[1] as HealthStatus };
}
