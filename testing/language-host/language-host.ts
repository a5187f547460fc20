import {
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";
import { generatePackage } from "./generate-package.ts";
import type { Language } from "./languages.ts";
import { requiredProviders } from "./required-providers.ts";
import { runPlugin } from "./run-plugin.ts";
import { type Ending, runProgram } from "./run-program.ts";

/**
 * STAND-IN for the language hosts of Node.js, Python and Go. The newest version of the Node.js host that the Go module proxy has
 * is of May 2023 (sdk/v3 v3.68.0), and that host cannot run our programs under a current CLI: its proxy of the resource monitor
 * does not forward RegisterResourceHook and other calls added since, and it takes `nodeargs` and `typescript` from flags, which
 * a current CLI sends in `ProgramInfo.options`. The proxy has no host of Python or Go. Programs run with the languages' own SDKs.
 */
export const languageService = languageGrpc.LanguageRuntimeService;

type Call<Request> = ServerUnaryCall<Request, unknown>;
type Reply<Response> = sendUnaryData<Response>;
type RunRequest = InstanceType<typeof messages.RunRequest>;
type RunResponse = InstanceType<typeof messages.RunResponse>;

/**
 * The calls that `pulumi` makes for `preview`, `up`, `refresh`, `destroy`, `stack` and `package`. Programs and plugins end if
 * `gone` is aborted.
 */
export function languageHost(language: Language, engineAddress: string, gone: AbortSignal) {
  const implemented = {
    getRequiredPackages(
      { request }: Call<InstanceType<typeof messages.GetRequiredPackagesRequest>>,
      reply: Reply<InstanceType<typeof messages.GetRequiredPackagesResponse>>,
    ) {
      const response = new messages.GetRequiredPackagesResponse();
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
      const response = new messages.RunResponse();
      const ending = await ended(language, call, engineAddress, gone);
      if (ending.error !== undefined) response.setError(ending.error);
      response.setBail(ending.isReported);
      reply(null, response);
    },
  };
  const unary = { ...implemented, ...packages(language) };
  const streaming = {
    runPlugin: (call: Parameters<typeof runPlugin>[0]) => runPlugin(call, gone),
    installDependencies: (call: InstallCall) => install(language, call),
  };
  const others = Object.keys(languageService).filter(
    (name) => !(name in streaming) && !(name in unary),
  );
  return {
    ...unary,
    ...streaming,
    ...Object.fromEntries(others.map((name) => [name, refuse])),
  } as unknown as Parameters<import("@grpc/grpc-js").Server["addService"]>[1];
}

type InstallCall = ServerWritableStream<
  InstanceType<typeof messages.InstallDependenciesRequest>,
  InstanceType<typeof messages.InstallDependenciesResponse>
>;

async function install(language: Language, call: InstallCall): Promise<void> {
  try {
    await language.install?.(call.request.getInfo()?.getProgramDirectory() ?? ".");
    call.end();
  } catch (error) {
    call.destroy(error as Error);
  }
}

/** The calls of `pulumi package`. */
const packages = (language: Language) => ({
  async generatePackage(
    { request }: Call<InstanceType<typeof messages.GeneratePackageRequest>>,
    reply: Reply<InstanceType<typeof messages.GeneratePackageResponse>>,
  ) {
    try {
      await generatePackage(language, request.getSchema(), request.getDirectory());
      reply(null, new messages.GeneratePackageResponse());
    } catch (error) {
      reply(error as Error);
    }
  },
  async link(
    { request }: Call<InstanceType<typeof messages.LinkRequest>>,
    reply: Reply<InstanceType<typeof messages.LinkResponse>>,
  ) {
    const response = new messages.LinkResponse();
    const linked = request.getPackagesList().map((each) => ({
      name: each.getPackage()?.getName() ?? "",
      path: each.getPath(),
    }));
    try {
      const folder = request.getInfo()?.getProgramDirectory() ?? ".";
      response.setImportInstructions((await language.link?.(folder, linked)) ?? "");
      reply(null, response);
    } catch (error) {
      reply(error as Error);
    }
  },
});

function refuse(_: unknown, reply?: Reply<never>) {
  reply?.({ code: status.UNIMPLEMENTED, details: "not implemented by this stand-in" });
}

async function ended(
  language: Language,
  call: Call<RunRequest>,
  engine: string,
  gone: AbortSignal,
): Promise<Ending> {
  const { request } = call;
  const info = request.getInfo();
  const controller = new AbortController();
  call.on("cancelled", () => controller.abort());
  const program = {
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
    options: info?.getOptions()?.toJavaScript() ?? {},
    signal: AbortSignal.any([controller.signal, gone]),
  };
  try {
    return await runProgram(program, await language.launch(program));
  } catch (error) {
    return { error: (error as Error).message, isReported: false };
  }
}
