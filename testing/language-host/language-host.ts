import { type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import { requiredProviders } from "./required-providers.ts";
import { type Ending, runProgram } from "./run-program.ts";

/**
 * STAND-IN for the language host of Node.js programs. The newest version that the Go module proxy has is of May 2023
 * (sdk/v3 v3.68.0), and that host cannot run our programs under a current CLI: its proxy of the resource monitor does not
 * forward RegisterResourceHook and other calls added since, and it takes `nodeargs` and `typescript` from flags, which a
 * current CLI sends in `ProgramInfo.options`.
 */
export const languageService = languageGrpc.LanguageRuntimeService;

type Call<Request> = ServerUnaryCall<Request, unknown>;
type Reply<Response> = sendUnaryData<Response>;
type RunRequest = InstanceType<typeof language.RunRequest>;
type RunResponse = InstanceType<typeof language.RunResponse>;

/**
 * The calls that `pulumi` makes for `preview`, `up`, `refresh`, `destroy` and `stack`. Programs end if `gone` is aborted.
 */
export function languageHost(engineAddress: string, gone: AbortSignal) {
  const implemented = {
    getRequiredPackages(
      { request }: Call<InstanceType<typeof language.GetRequiredPackagesRequest>>,
      reply: Reply<InstanceType<typeof language.GetRequiredPackagesResponse>>,
    ) {
      const response = new language.GetRequiredPackagesResponse();
      const directory = request.getInfo()?.getProgramDirectory() ?? ".";
      for (const { name, version } of requiredProviders(directory)) {
        const dependency = new plugin.PackageDependency();
        dependency.setName(name);
        dependency.setKind("resource");
        dependency.setVersion(version);
        response.addPackages(dependency);
      }
      reply(null, response);
    },
    getPluginInfo(_: unknown, reply: Reply<InstanceType<typeof plugin.PluginInfo>>) {
      reply(null, new plugin.PluginInfo());
    },
    async run(call: Call<RunRequest>, reply: Reply<RunResponse>) {
      const response = new language.RunResponse();
      const ending = await ended(call, engineAddress, gone);
      if (ending.error !== undefined) response.setError(ending.error);
      response.setBail(ending.isReported);
      reply(null, response);
    },
  };
  const others = Object.keys(languageService).filter((name) => !(name in implemented));
  return {
    ...implemented,
    ...Object.fromEntries(others.map((name) => [name, refuse])),
  } as unknown as Parameters<import("@grpc/grpc-js").Server["addService"]>[1];
}

function refuse(_: unknown, reply?: Reply<never>) {
  reply?.({ code: status.UNIMPLEMENTED, details: "not implemented by this stand-in" });
}

async function ended(call: Call<RunRequest>, engine: string, gone: AbortSignal): Promise<Ending> {
  const { request } = call;
  const info = request.getInfo();
  const options = (info?.getOptions()?.toJavaScript() ?? {}) as {
    nodeargs?: string;
    typescript?: boolean;
  };
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  return runProgram({
    engine,
    monitor: request.getMonitorAddress(),
    organization: request.getOrganization(),
    project: request.getProject(),
    stack: request.getStack(),
    root: info?.getRootDirectory() ?? request.getPwd(),
    directory: request.getPwd(),
    entryPoint: info?.getEntryPoint() || ".",
    parallel: request.getParallel(),
    preview: request.getDryrun(),
    config: Object.fromEntries(request.getConfigMap().toObject()),
    secretKeys: request.getConfigsecretkeysList(),
    nodeArgs: (options.nodeargs ?? "").split(/\s+/).filter((each) => each !== ""),
    typescript: options.typescript ?? true,
    signal: AbortSignal.any([controller.signal, gone]),
  });
}
