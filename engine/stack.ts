import type { Analyzer } from "./analyzer.ts";
import { builtinPlugin } from "./builtin-plugin.ts";
import { Deployment, type DeploymentOptions } from "./deployment.ts";
import type { Diagnostic, EngineEvent, EventListener, Step } from "./event.ts";
import { kubernetesPlugin } from "./kubernetes/plugin.ts";
import type { ClusterChoice } from "./kubernetes/provider-config.ts";
import { EngineService, isEchoOfFailure } from "./monitor/engine-service.ts";
import { Monitor } from "./monitor/monitor.ts";
import { countSteps, type OperationResult } from "./operation-result.ts";
import { functionProgram, type ProgramFunction, type Transport } from "./programs/in-process.ts";
import { processProgram } from "./programs/process.ts";
import type { RunProgram } from "./programs/program.ts";
import { fullKey } from "./project.ts";
import {
  containsUnknowns,
  isSecret,
  type PropertyMap,
  secret,
  withoutSecrets,
} from "./property-value.ts";
import type { ProviderPlugin } from "./provider.ts";
import { refreshResources } from "./refresh.ts";
import { secretFilter } from "./secret-filter.ts";
import type { Checkpoint } from "./state/checkpoint.ts";
import { type PassphraseSource, passphraseFrom } from "./state/passphrase.ts";
import { Snapshot } from "./state/snapshot.ts";
import type { StateStore } from "./state/state-store.ts";
import { ROOT_STACK_TYPE } from "./urn.ts";

export interface StackOptions {
  project: string;
  stack: string;
  /** Organization of the stack. Default `organization`, as in the CLI for self-managed backends. */
  organization?: string;
  /**
   * Program of the stack. Either a folder with Pulumi.yaml, whose program runs in a separate process as in the CLI, or
   * a function of this process, which is faster but skips the CLI's type checks and module resolution.
   */
  program:
    | { dir: string; env?: Readonly<Record<string, string | undefined>> }
    | { run: ProgramFunction; transport?: Transport };
  /** Configuration. A key without a namespace belongs to the project. */
  config?: Readonly<Record<string, string>>;
  /** Configuration that programs receive as secrets. */
  secretConfig?: Readonly<Record<string, string>>;
  state: StateStore;
  /**
   * Cluster of resources whose provider selects none. Default: no cluster. The engine does not read KUBECONFIG or
   * ~/.kube/config, and previews run without an API server.
   */
  kubernetes?: ClusterChoice;
  /**
   * Whether to run without a cluster, regardless of the providers' configuration, and without other stacks. Values that
   * would be read are the values of the last `up` or `refresh`; they are unknown if the state has none. For previews only.
   * Default false.
   */
  offline?: boolean;
  /** Maximum number of concurrent requests to an API server, and of concurrent deletions. Default 16, as in the CLI. */
  parallel?: number;
  /**
   * Passphrase of the secrets. Default: PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE, read only if there
   * are secrets.
   */
  passphrase?: PassphraseSource;
  /** Salt in Pulumi.<stack>.yaml. Default: the salt in the state, which is created with the first secret. */
  encryptionSalt?: string;
  /** Policies that check the resources. */
  analyzer?: Analyzer;
  onEvent?: EventListener;
}

/** Operations of a stack. Call them one after the other, in any order. */
export interface Stack {
  /** Previews `up`, with dry runs on the API server if possible. Changes nothing. */
  preview(): Promise<OperationResult>;
  /** Runs the program and updates the cluster to the declared resources. */
  up(): Promise<OperationResult>;
  /** Records changes of the cluster in the state, so that the next `up` reverts them. */
  refresh(): Promise<OperationResult>;
  /** Deletes all resources of the stack. */
  destroy(): Promise<OperationResult>;
  /** Returns the state in the format of `pulumi stack export`. */
  export(): Promise<Checkpoint>;
}

/**
 * Returns the operations of a stack.
 *
 * ```ts
 * const stack = openStack({
 *   project: "qwen",
 *   stack: "prod",
 *   program: { dir: "." },
 *   state: directoryState("state"),
 *   kubernetes: { kubeconfig: "kubeconfig.yaml" },
 * });
 * const { succeeded, summary } = await stack.up();
 * ```
 */
export function openStack(options: StackOptions): Stack {
  const run = programOf(options.program);
  return {
    preview: () => operate(options, { preview: true }, (operation) => deploy(operation, run)),
    up: () => operate(options, { preview: false }, (operation) => deploy(operation, run)),
    refresh: () => operate(options, { preview: false }, refresh),
    destroy: () => operate(options, { preview: false }, destroy),
    async export() {
      const { project, stack, state } = options;
      const snapshot = await Snapshot.read(await state.read(project, stack), secretsOf(options));
      return snapshot.export();
    },
  };
}

function programOf(program: StackOptions["program"]): RunProgram {
  return "dir" in program
    ? processProgram(program)
    : functionProgram(program.run, program.transport ?? "memory");
}

interface Operation {
  options: StackOptions;
  settings: DeploymentOptions & {
    config: Record<string, string>;
    secretKeys: string[];
    organization: string;
  };
  /** Reports an error that does not belong to a resource. */
  fail: (message: string) => void;
}

interface Outcome {
  steps: Step[];
  /** Outputs that the program registered; absent if it did not register any. */
  outputs?: PropertyMap | undefined;
}

async function operate(
  options: StackOptions,
  { preview }: { preview: boolean },
  perform: (operation: Operation) => Promise<Outcome>,
): Promise<OperationResult> {
  const { project, stack, state, parallel = 16, organization = "organization" } = options;
  const { offline = false } = options;
  if (offline && !preview)
    throw new Error(`stack ${stack} was opened offline, which is for previews only`);
  const diagnostics: Diagnostic[] = [];
  const hideSecrets = secretFilter(Object.values(options.secretConfig ?? {}));
  const emit = (given: EngineEvent) => {
    const event = hideSecrets(given);
    if (event.kind === "diagnostic") diagnostics.push(event.diagnostic);
    options.onEvent?.(event);
  };
  const file = preview ? undefined : await state.open(project, stack);
  try {
    const snapshot = file
      ? await Snapshot.open(file, secretsOf(options))
      : await Snapshot.read(await state.read(project, stack), secretsOf(options));
    using kubernetes = kubernetesPlugin({ cluster: options.kubernetes, parallel, offline });
    const { config, secretKeys } = configuration(options);
    const fail = (message: string) =>
      emit({ kind: "diagnostic", diagnostic: { severity: "error", message } });
    const settings = {
      project,
      stack,
      organization,
      preview,
      snapshot,
      parallel,
      emit,
      config,
      secretKeys,
      offline,
      plugins: pluginsOf(options, kubernetes),
      packageConfig: (name: string) => packageConfig(name, config, secretKeys),
      analyzer: options.analyzer,
    };
    const { steps, outputs } = await perform({ options, settings, fail });
    await snapshot.save();
    return {
      succeeded: !diagnostics.some(({ severity }) => severity === "error"),
      steps,
      summary: countSteps(steps),
      outputs: readOutputs(outputs ?? stackOutputs(snapshot) ?? {}),
      diagnostics,
    };
  } finally {
    await file?.close();
  }
}

function pluginsOf(
  options: StackOptions,
  kubernetes: ProviderPlugin,
): Record<string, ProviderPlugin> {
  return { kubernetes, pulumi: builtinPlugin((name) => referencedOutputs(name, options)) };
}

async function deploy({ options, settings, fail }: Operation, run: RunProgram): Promise<Outcome> {
  const deployment = await Deployment.begin(settings);
  const engine = new EngineService(settings.emit);
  const monitor = new Monitor({ ...settings, deployment });
  try {
    const config = { ...clusterConfig(options), ...settings.config };
    const errors = await run({ ...settings, config, monitor, engine });
    // A failed resource is reported separately; the program's error only repeats that.
    const unreported = deployment.failed
      ? errors.filter((error) => !isEchoOfFailure(error))
      : errors;
    for (const error of unreported) fail(error);
    if (errors.length === 0 && !engine.sawError) await deployment.finish();
  } finally {
    monitor.close();
  }
  return { steps: deployment.steps, outputs: monitor.stackOutputs };
}

/**
 * Returns the cluster of the operation as a program that the CLI runs finds it in its configuration. `pulumi:offline` is
 * of this engine alone: a program that has it connects to no cluster.
 */
const clusterConfig = ({ kubernetes: cluster, offline }: StackOptions): Record<string, string> =>
  cluster === undefined || offline
    ? { "pulumi:offline": "true" }
    : {
        "kubernetes:kubeconfig": cluster.kubeconfig,
        ...(cluster.context !== undefined && { "kubernetes:context": cluster.context }),
      };

async function destroy({ settings }: Operation): Promise<Outcome> {
  // Policies check the desired state, which is empty here.
  const deployment = await Deployment.begin({ ...settings, analyzer: undefined });
  await deployment.finish();
  return { steps: deployment.steps };
}

async function refresh({ settings }: Operation): Promise<Outcome> {
  const { snapshot, emit } = settings;
  const deployment = await Deployment.begin(settings);
  return { steps: await refreshResources({ snapshot, registry: deployment.registry, emit }) };
}

function secretsOf({ passphrase, encryptionSalt }: StackOptions) {
  return {
    passphrase: passphrase ?? passphraseFrom(),
    ...(encryptionSalt !== undefined && { salt: encryptionSalt }),
  };
}

function configuration({ project, config = {}, secretConfig = {} }: StackOptions) {
  const named = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [fullKey(project, key), value]),
    );
  const secrets = named(secretConfig);
  return { config: { ...named(config), ...secrets }, secretKeys: Object.keys(secrets) };
}

/** Returns the configuration of a package's default provider: the keys in the package's namespace. */
function packageConfig(
  name: string,
  config: Readonly<Record<string, string>>,
  secretKeys: readonly string[],
): PropertyMap {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => key.startsWith(`${name}:`))
      .map(([key, value]) => [
        key.slice(name.length + 1),
        secretKeys.includes(key) ? secret(value) : value,
      ]),
  );
}

/**
 * Returns the outputs of `stack`, `project/stack` or `organization/project/stack`. Missing parts are taken from this
 * stack.
 */
async function referencedOutputs(
  name: string,
  options: StackOptions,
): Promise<PropertyMap | undefined> {
  const [stack = "", project = options.project] = name.split("/").reverse();
  const stored = await options.state.read(project, stack);
  if (stored === undefined) return undefined;
  return (
    stackOutputs(
      await Snapshot.read(stored, { passphrase: options.passphrase ?? passphraseFrom() }),
    ) ?? {}
  );
}

function stackOutputs(snapshot: Snapshot): PropertyMap | undefined {
  return snapshot.resources.find(({ type }) => type === ROOT_STACK_TYPE)?.outputs;
}

function readOutputs(outputs: PropertyMap): OperationResult["outputs"] {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      {
        value: containsUnknowns(value) ? undefined : withoutSecrets(value),
        secret: isSecret(value),
      },
    ]),
  );
}
