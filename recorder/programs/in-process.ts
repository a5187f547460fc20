import { format } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import settings from "@pulumi/pulumi/runtime/settings.js";
import stackRuntime from "@pulumi/pulumi/runtime/stack.js";
import { type Answer, answer, handlersOf } from "../monitor/handlers.ts";
import { PARALLEL } from "../monitor/monitor.ts";
import { resourceGrpc } from "../monitor/protos.ts";
import { serveMonitor } from "../monitor/server.ts";
import { collectErrors, withLocalStorage } from "./errors.ts";
import type { ProgramContext, RunProgram } from "./program.ts";

/** Body of a program. The fields of the returned object become the outputs of the stack. */
export type ProgramFunction = () => Promise<unknown>;

/**
 * How a function in this process communicates with the recorder: over gRPC like a separate program, or by direct calls.
 */
export type Transport = "grpc" | "memory";

/**
 * Runs a function of this process as a program. Several may run concurrently. An unhandled error is then reported by
 * all of them, because Node.js does not report which one caused it.
 */
export function functionProgram(run: ProgramFunction, transport: Transport): RunProgram {
  return (context) =>
    withLocalStorage(async () => {
      await using connection =
        transport === "grpc" ? await connectGrpc(context) : connectMemory(context);
      void connection;
      pulumi.runtime.setAllConfig({ ...context.config }, [...context.secretKeys]);
      const { errors } = await collectErrors(async () => {
        try {
          await stackRuntime.runInPulumiStack(async () => (await run()) ?? {});
        } finally {
          // Waits for every registration, including those that were still running when the program ended.
          await settings.disconnect(true);
        }
      });
      return errors.map(errorText);
    });
}

async function connectGrpc(context: ProgramContext): Promise<AsyncDisposable> {
  const { project, stack, organization, monitor, engine } = context;
  const server = await serveMonitor(monitor, engine);
  const { address } = server;
  settings.resetOptions(project, stack, PARALLEL, address, address, true, organization);
  return server;
}

function connectMemory(context: ProgramContext): AsyncDisposable {
  const { project, stack, organization, monitor } = context;
  settings.setMockOptions(memoryClient(monitor), project, stack, true, organization);
  return { async [Symbol.asyncDispose]() {} };
}

/** Returns a client that calls the monitor directly. */
function memoryClient(monitor: object): unknown {
  const handlers = handlersOf(monitor, Object.keys(resourceGrpc.ResourceMonitorService));
  return {
    close() {},
    ...Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        // The SDK may pass metadata and options before the callback.
        (request: unknown, ...rest: unknown[]) =>
          void answer(handler, request, rest.at(-1) as Answer),
      ]),
    ),
  };
}

function errorText(error: unknown): string {
  if (pulumi.RunError.isInstance(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : format(error);
}
