import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Client, credentials } from "@grpc/grpc-js";
import analyzerGrpc from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzer from "@pulumi/pulumi/proto/analyzer_pb.js";
import { empty, isProviderType, type RecordedResource, toStruct } from "../../recorder/index.ts";
import type { PolicyLevel, PolicySettings } from "./policy-config.ts";

/** A policy with the description in its pack. */
export interface PolicyInfo {
  readonly name: string;
  readonly pack: string;
  readonly level: PolicyLevel;
  /** Short title; the policy's name if the policy has no title. */
  readonly title: string;
  readonly description: string;
  /** Fix for a violation; empty if the policy sets none. */
  readonly fix: string;
  /** URL of the policy's page; empty if the policy sets no URL. */
  readonly url: string;
  /** Parameters with defaults, by name. */
  readonly parameters: Readonly<Record<string, { default?: unknown }>>;
}

/** A policy's violation by a resource or by the stack. */
export interface PolicyViolation {
  readonly policy: PolicyInfo;
  readonly level: PolicyLevel;
  /** Absent for a violation by the stack. */
  readonly urn?: string;
  /** The problem, or the value that the policy needs. */
  readonly message: string;
  /** False if the policy cannot decide yet, because only the update knows some value. */
  readonly isKnown: boolean;
}

/** A policy pack in a separate process, as in the Pulumi CLI. */
export interface AnalyzerProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  readonly policies: readonly PolicyInfo[];
  /** Sets levels and parameters; policies without a setting keep their defaults. Must be called first. */
  configure(settings: PolicySettings): Promise<void>;
  /** Returns the properties to use instead, after all changes; undefined if no policy changes any. */
  remediate(resource: RecordedResource): Promise<Record<string, unknown> | undefined>;
  analyze(resource: RecordedResource): Promise<PolicyViolation[]>;
  analyzeStack(resources: readonly RecordedResource[]): Promise<PolicyViolation[]>;
}

export interface PackProcessOptions {
  /** The folder of PulumiPolicy.yaml. */
  folder: string;
  project: string;
  stack: string;
  organization: string;
  /** Whether this is a preview. */
  preview: boolean;
}

export type StartPack = (options: PackProcessOptions) => Promise<AnalyzerProcess>;

const levels: readonly PolicyLevel[] = ["advisory", "mandatory", "disabled", "remediate"];

/** @throws Error with the output of the pack if it does not start */
export async function startAnalyzer(options: PackProcessOptions): Promise<AnalyzerProcess> {
  const { pid, port, stop } = await startServer(options);
  const client = new analyzerGrpc.AnalyzerClient(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
    { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
  );
  const ask = <Name extends Method>(method: Name, request: object) =>
    answerOf<Answers[Name]>(client, method, request);

  const stack = new analyzer.AnalyzerStackConfigureRequest();
  stack.setStack(options.stack);
  stack.setProject(options.project);
  stack.setOrganization(options.organization);
  stack.setDryRun(options.preview);
  await ask("configureStack", stack);
  const info = await ask("getAnalyzerInfo", empty());
  const policies = info.getPoliciesList().map((policy) => policyInfo(info.getName(), policy));
  if (policies.length === 0) {
    client.close();
    stop();
    throw new Error(`policy pack ${options.folder} has no policies, so it checks nothing`);
  }
  const violations = (answer: InstanceType<typeof analyzer.AnalyzeResponse>) =>
    answer.getDiagnosticsList().map((diagnostic) => violationOf(policies, diagnostic));
  const providers = new Providers();
  return {
    pid,
    policies,
    async configure(settings) {
      await ask("configure", configuration(policies, settings));
    },
    async remediate(resource) {
      const answer = await ask("remediate", analyzeRequest(resource, providers));
      const changes = answer.getRemediationsList().map((each) => each.getProperties());
      return changes.findLast((properties) => properties !== undefined)?.toJavaScript();
    },
    async analyze(resource) {
      providers.learn([resource]);
      const answer = await ask("analyze", analyzeRequest(resource, providers));
      return violations(answer).map((violation) => ({ ...violation, urn: resource.urn }));
    },
    async analyzeStack(resources) {
      providers.learn(resources);
      const request = new analyzer.AnalyzeStackRequest();
      request.setResourcesList(resources.map((resource) => stackResource(resource, providers)));
      return violations(await ask("analyzeStack", request));
    },
    async [Symbol.asyncDispose]() {
      client.close();
      stop();
    },
  };
}

interface Answers {
  configureStack: object;
  getAnalyzerInfo: InstanceType<typeof analyzer.AnalyzerInfo>;
  configure: object;
  remediate: InstanceType<typeof analyzer.RemediateResponse>;
  analyze: InstanceType<typeof analyzer.AnalyzeResponse>;
  analyzeStack: InstanceType<typeof analyzer.AnalyzeResponse>;
}

type Method = keyof Answers;

function answerOf<Answer>(client: Client, method: Method, request: object): Promise<Answer> {
  const call = (client as unknown as Record<Method, UnaryCall<Answer>>)[method];
  return new Promise((resolve, reject) => {
    call.call(client, request, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

type UnaryCall<Answer> = (
  request: object,
  callback: (error: Error | null, answer: Answer) => void,
) => void;

/** Starts the runner of the SDK, which prints the port on which it serves. */
async function startServer({ folder, project, stack, organization, preview }: PackProcessOptions) {
  const child = spawn(process.execPath, [runnerOf(folder), "127.0.0.1:0", folder], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PULUMI_NODEJS_ORGANIZATION: organization,
      PULUMI_NODEJS_PROJECT: project,
      PULUMI_NODEJS_STACK: stack,
      PULUMI_NODEJS_DRY_RUN: String(preview),
    },
  });
  // The server does not end with its parent process.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = () => {
    process.off("exit", kill);
    kill();
  };
  try {
    const port = await new Promise<string>((resolve, reject) => {
      let [out, err] = ["", ""];
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        err += text;
      });
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        const [, port] = /^(\d+)\n/.exec(out) ?? [];
        if (port !== undefined) resolve(port);
      });
      child.once("error", reject);
      child.once("close", (code) =>
        reject(
          new Error(`policy pack ${folder} ended with exit code ${code}: ${(err || out).trim()}`),
        ),
      );
    });
    return { pid: child.pid, port, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function runnerOf(folder: string): string {
  try {
    const resolve = createRequire(join(folder, "index.js")).resolve;
    return resolve("@pulumi/pulumi/cmd/run-policy-pack");
  } catch {
    return createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run-policy-pack");
  }
}

function policyInfo(pack: string, info: InstanceType<typeof analyzer.PolicyInfo>): PolicyInfo {
  const parameters = info.getConfigschema()?.getProperties()?.toJavaScript() ?? {};
  return {
    name: info.getName(),
    pack,
    level: levels[info.getEnforcementlevel()] ?? "mandatory",
    title: info.getDisplayname() || info.getName(),
    description: info.getDescription(),
    fix: info.getRemediationSteps(),
    url: info.getUrl(),
    parameters: parameters as PolicyInfo["parameters"],
  };
}

/** Merges the defaults in the schema with the settings, as the CLI does. */
function configuration(policies: readonly PolicyInfo[], settings: PolicySettings) {
  const request = new analyzer.ConfigureAnalyzerRequest();
  for (const { name, level, parameters } of policies) {
    const defaults = Object.entries(parameters).flatMap(([key, schema]) =>
      schema.default === undefined ? [] : [[key, schema.default]],
    );
    const given = settings.get(name);
    const config = new analyzer.PolicyConfig();
    config.setEnforcementlevel(levels.indexOf(given?.level ?? level) as 0 | 1 | 2 | 3);
    const properties = { ...Object.fromEntries(defaults), ...given?.parameters };
    config.setProperties(toStruct(properties));
    request.getPolicyconfigMap().set(name, config);
  }
  return request;
}

/** Provider resources, which are registered before the resources that they manage. */
class Providers {
  readonly #byUrn = new Map<string, RecordedResource>();

  learn(resources: readonly RecordedResource[]): void {
    for (const resource of resources)
      if (isProviderType(resource.type)) this.#byUrn.set(resource.urn, resource);
  }

  /** @param reference `<urn>::<id>` */
  message(reference: string | undefined) {
    const provider = this.#byUrn.get(reference?.split("::").slice(0, -1).join("::") ?? "");
    if (provider === undefined) return undefined;
    const message = new analyzer.AnalyzerProviderResource();
    message.setType(provider.type);
    message.setUrn(provider.urn);
    message.setName(provider.name);
    message.setProperties(toStruct(provider.properties));
    return message;
  }
}

function analyzeRequest(
  { type, urn, name, parent, properties, provider }: RecordedResource,
  providers: Providers,
) {
  const request = new analyzer.AnalyzeRequest();
  request.setType(type);
  request.setUrn(urn);
  request.setName(name);
  request.setProperties(toStruct(properties));
  request.setOptions(optionsOf(parent));
  request.setProvider(providers.message(provider));
  return request;
}

function stackResource(resource: RecordedResource, providers: Providers) {
  const message = new analyzer.AnalyzerResource();
  message.setType(resource.type);
  message.setUrn(resource.urn);
  message.setName(resource.name);
  message.setParent(resource.parent);
  message.setProperties(toStruct(resource.properties));
  message.setOptions(optionsOf(resource.parent));
  message.setProvider(providers.message(resource.provider));
  message.setDependenciesList([...resource.dependencies]);
  for (const [property, urns] of Object.entries(resource.propertyDependencies)) {
    const dependencies = new analyzer.AnalyzerPropertyDependencies();
    dependencies.setUrnsList([...urns]);
    message.getPropertydependenciesMap().set(property, dependencies);
  }
  return message;
}

function optionsOf(parent: string) {
  const options = new analyzer.AnalyzerResourceOptions();
  options.setParent(parent);
  return options;
}

const cannotRun = /^can't run policy '.*' from policy pack '.*' during preview: /;

function violationOf(
  policies: readonly PolicyInfo[],
  diagnostic: InstanceType<typeof analyzer.AnalyzeDiagnostic>,
): PolicyViolation {
  const name = diagnostic.getPolicyname();
  const policy = policies.find((each) => each.name === name);
  if (policy === undefined) throw new Error(`the pack reports a policy it does not have: ${name}`);
  const message = diagnostic.getMessage();
  const urn = diagnostic.getUrn();
  return {
    policy,
    level: levels[diagnostic.getEnforcementlevel()] ?? "mandatory",
    message: message.replace(cannotRun, "").replace(`${policy.description}\n`, ""),
    isKnown: !cannotRun.test(message),
    ...(urn !== "" && { urn }),
  };
}
