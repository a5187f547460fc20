import type { Diagnostic } from "./diagnostic.ts";
import { EngineService, isEchoOfFailure } from "./monitor/engine-service.ts";
import { Monitor } from "./monitor/monitor.ts";
import { functionProgram, type ProgramFunction, type Transport } from "./programs/in-process.ts";
import { processProgram } from "./programs/process.ts";
import type { RunProgram } from "./programs/program.ts";
import { fullKey } from "./project/project.ts";
import {
  containsUnknowns,
  isSecret,
  mapMap,
  type PropertyMap,
  secret,
  withoutSecrets,
} from "./property-value.ts";
import type { Analyzer, RecordedResource } from "./recorded-resource.ts";
import { Recorder } from "./recorder.ts";
import { secretFilter } from "./secret-filter.ts";

export interface RecordOptions {
  project: string;
  stack: string;
  /** Organization of the stack. Default `organization`, as in the CLI for self-managed backends. */
  organization?: string;
  /**
   * Either a folder with Pulumi.yaml, whose program runs in a separate process as in the CLI, or a function of this
   * process, which is faster but skips the CLI's type checks and module resolution.
   */
  program:
    | { dir: string; env?: Readonly<Record<string, string | undefined>> }
    | { run: ProgramFunction; transport?: Transport };
  /** Configuration. A key without a namespace belongs to the project. */
  config?: Readonly<Record<string, string>>;
  /** Configuration that programs receive as secrets. */
  secretConfig?: Readonly<Record<string, string>>;
  /** Outputs of other stacks, by the name in their StackReference. Default: they are unknown. */
  references?: Readonly<Record<string, PropertyMap>>;
  /** Policies that check the resources. */
  analyzer?: Analyzer;
  /** Receives the output of a program in a process of its own. */
  onOutput?: (text: string) => void;
}

/** Stack output. */
export interface OutputValue {
  /** Value in clear text, even if it is secret. `undefined` while it is unknown. */
  value: unknown;
  secret: boolean;
}

export interface Recording {
  /** Whether the program ended without an error, and no resource was refused. */
  succeeded: boolean;
  /** Resources in the order of registration. */
  resources: RecordedResource[];
  /** Outputs of the stack. */
  outputs: Record<string, OutputValue>;
  /** Messages of the program and of policies. */
  diagnostics: Diagnostic[];
}

/**
 * Runs a Pulumi program as a preview of a new stack does, and returns the resources that it registers: without the Pulumi
 * CLI, a login, a state and a cluster. Values that only an update or a cluster knows are unknown.
 *
 * ```ts
 * const { resources, diagnostics } = await recordProgram({
 *   project: "qwen",
 *   stack: "prod",
 *   program: { dir: "." },
 * });
 * ```
 */
export async function recordProgram(options: RecordOptions): Promise<Recording> {
  const { project, stack, organization = "organization", program, references = {} } = options;
  const hideSecrets = secretFilter(Object.values(options.secretConfig ?? {}));
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) =>
    void diagnostics.push({ ...diagnostic, message: hideSecrets(diagnostic.message) });
  const { config, secretKeys } = configuration(options);
  const recorder = new Recorder({
    project,
    stack,
    references,
    packageConfig: (name) => packageConfig(name, config, secretKeys),
    analyzer: options.analyzer,
    report,
  });
  const engine = new EngineService(report);
  const settings = {
    project,
    stack,
    organization,
    // Components that read a cluster before they plan learn from this that there is no cluster.
    config: { "pulumi:offline": "true", ...config },
    secretKeys,
  };
  const monitor = new Monitor({ ...settings, recorder });
  try {
    const print = (text: string) => options.onOutput?.(hideSecrets(text));
    const errors = await runOf(program)({ ...settings, monitor, engine, print });
    // A refused resource is reported separately; the program's error only repeats that.
    const unreported = errors.filter((error) => !(recorder.failed && isEchoOfFailure(error)));
    for (const message of unreported) report({ severity: "error", message });
    if (errors.length === 0 && !engine.sawError) await recorder.finish();
  } finally {
    monitor.close();
  }
  return {
    succeeded: !diagnostics.some(({ severity }) => severity === "error"),
    resources: recorder.resources,
    outputs: mapMap(monitor.stackOutputs ?? {}, outputValue) as Record<string, OutputValue>,
    diagnostics,
  };
}

const runOf = (program: RecordOptions["program"]): RunProgram =>
  "dir" in program
    ? processProgram(program)
    : functionProgram(program.run, program.transport ?? "memory");

function configuration({ project, config = {}, secretConfig = {} }: RecordOptions) {
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

const outputValue = (value: unknown): OutputValue => ({
  value: containsUnknowns(value) ? undefined : withoutSecrets(value),
  secret: isSecret(value),
});
