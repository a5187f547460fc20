import { status } from "@grpc/grpc-js";
import { messageOf } from "../../kubernetes/values/records.ts";

/** A gRPC method as a function of its request, for a server and for a client in this process. */
export type Handler = (request: never) => unknown;
export type Handlers = Record<string, Handler>;

export type Answer = (
  error: { code: number; details: string; message: string } | null,
  response?: unknown,
) => void;

/** Returns the methods of a service object by name. */
export function handlersOf(service: object, names: Iterable<string>): Handlers {
  const handlers: Handlers = {};
  for (const name of names) {
    const method = (service as Record<string, Handler | undefined>)[name];
    if (method !== undefined) handlers[name] = method.bind(service);
  }
  return handlers;
}

/** Calls a handler and returns its result or error in gRPC's form. */
export async function answer(handler: Handler, request: unknown, reply: Answer): Promise<void> {
  let response: unknown;
  try {
    response = await handler(request as never);
  } catch (error) {
    const message = messageOf(error);
    reply({ code: status.UNKNOWN, details: message, message });
    return;
  }
  reply(null, response);
}
