import { setTimeout as sleep } from "node:timers/promises";
import { format } from "node:util";
import { Server, ServerCredentials, type ServerReadableStream, status } from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
import eventsGrpc from "@pulumi/pulumi/proto/events_grpc_pb.js";
import type { EventRequest } from "@pulumi/pulumi/proto/events_pb.js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import settings from "@pulumi/pulumi/runtime/settings.js";
import stackRuntime from "@pulumi/pulumi/runtime/stack.js";
import { collectErrors, type ProgramFunction, withLocalStorage } from "../../recorder/index.ts";
import type { CliEvent } from "./operation-result.ts";

/** Server of one operation of the CLI: its language host, if the program is a function, and the receiver of its events. */
export interface OperationServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly address: string;
}

export interface OperationServerOptions {
  readonly run?: ProgramFunction | undefined;
  /** Configuration that the program has in addition to the configuration of the stack. */
  readonly config: Readonly<Record<string, string>>;
  readonly onEvent: (event: CliEvent) => void;
}

/**
 * Serves an operation as the Automation API does, with two differences: an error has the message that the CLI prints for a
 * program of its own, and the listeners of this process do not receive the program's unhandled rejections.
 */
export async function serveOperation(options: OperationServerOptions): Promise<OperationServer> {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  const { streamEvents } = eventsGrpc.EventsService;
  server.addService(eventsGrpc.EventsService, {
    streamEvents(call: ServerReadableStream<EventRequest, object>, reply: Reply<object>) {
      call.on("data", (request: EventRequest) => options.onEvent(JSON.parse(request.getEvent())));
      call.on("end", () => reply(null, streamEvents.responseDeserialize(Buffer.alloc(0))));
      call.on("error", () => {});
    },
  });
  const running = new Set<Promise<unknown>>();
  // Resolved once the CLI has ended: nothing answers a program that is still running then.
  const abandoned = Promise.withResolvers<"abandoned">();
  const { run } = options;
  if (run !== undefined) {
    const unsupported = Object.keys(languageGrpc.LanguageRuntimeService).map((name) => [
      name,
      (_: unknown, reply?: (error: object) => void) => reply?.({ code: status.UNIMPLEMENTED }),
    ]);
    server.addService(languageGrpc.LanguageRuntimeService, {
      ...Object.fromEntries(unsupported),
      getPluginInfo: (_: unknown, reply: Reply<object>) => reply(null, new plugin.PluginInfo()),
      run({ request }: { request: RunRequest }, reply: Reply<object>) {
        const ended = runProgram(run, request, {
          config: options.config,
          abandoned: abandoned.promise,
        });
        running.add(ended);
        void ended.then((bail) => {
          const response = new messages.RunResponse();
          response.setBail(bail);
          reply(null, response);
        });
      },
    } as unknown as Parameters<Server["addService"]>[1]);
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await Promise.race([Promise.all(running), sleep(1_000, undefined, { ref: false })]);
      abandoned.resolve("abandoned");
      await Promise.all(running);
      server.forceShutdown();
    },
  };
}

type Reply<Response> = (error: Error | null, response: Response) => void;
type RunRequest = InstanceType<typeof messages.RunRequest>;

interface RunOptions {
  readonly config: Readonly<Record<string, string>>;
  readonly abandoned: Promise<"abandoned">;
}

/** Runs a program. Returns whether it failed; its errors are reported to the engine then. */
const runProgram = (
  run: ProgramFunction,
  request: RunRequest,
  { config, abandoned }: RunOptions,
): Promise<boolean> =>
  withLocalStorage(async () => {
    const [engine = ""] = request.getArgsList();
    settings.resetOptions(
      request.getProject(),
      request.getStack(),
      request.getParallel(),
      engine,
      request.getMonitorAddress(),
      request.getDryrun(),
      request.getOrganization(),
    );
    const given = Object.fromEntries(request.getConfigMap().toObject());
    pulumi.runtime.setAllConfig({ ...config, ...given }, request.getConfigsecretkeysList());
    const program = async () => {
      await stackRuntime.runInPulumiStack(async () => (await run()) ?? {});
      // Waits for every registration, including those that were still running when the program ended.
      await settings.disconnect(true);
    };
    const running = Promise.withResolvers<void>();
    const { errors, ending } = await collectErrors(
      () => Promise.race([program().finally(running.resolve), abandoned]),
      () => Promise.race([running.promise, sleep(10_000, undefined, { ref: false })]),
    );
    if (ending === "abandoned") return true;
    // A resource that failed is reported by the engine.
    for (const error of errors.filter((each) => !isGrpcError(each)))
      await pulumi.log.error(...report(error)).catch(() => {});
    if (errors.length > 0) await settings.disconnect(false).catch(() => {});
    return errors.length > 0;
  });

const isGrpcError = (error: unknown) =>
  error instanceof Error && "code" in error && "details" in error && "metadata" in error;

/** Arguments of `log.error` for an error, as the SDK's runner reports it. */
function report(error: unknown): [message: string, resource?: pulumi.Resource] {
  if (pulumi.RunError.isInstance(error)) return [error.message];
  const text = error instanceof Error ? (error.stack ?? error.message) : format(error);
  if (pulumi.ResourceError.isInstance(error))
    return [error.hideStack ? error.message : text, error.resource];
  return [`Running program failed with an unhandled exception:\n${text}`];
}
