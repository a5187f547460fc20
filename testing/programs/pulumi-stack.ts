import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, stringify } from "yaml";
import { fullKey, type ProgramFunction, readProject } from "../../recorder/index.ts";
import { descendantIds } from "../processes/descendants.ts";
import { type OperationServer, serveOperation } from "./inline-program.ts";
import {
  type CliEvent,
  eventOf,
  type OperationEvent,
  type OperationResult,
  resultOf,
} from "./operation-result.ts";
import { environmentOf, pulumi } from "./pulumi-cli.ts";
import { findPulumi } from "./pulumi-programs.ts";

export interface StackOptions {
  /** Default: the name in the program's Pulumi.yaml. */
  project?: string;
  stack: string;
  /** A function of this process, or a folder with Pulumi.yaml, whose program runs in a process of its own. */
  program: { run: ProgramFunction } | { dir: string; env?: Readonly<Record<string, string>> };
  /**
   * Configuration in addition to Pulumi.<stack>.yaml in the program's folder. A key without a namespace belongs to the
   * project.
   */
  config?: Readonly<Record<string, string>>;
  secretConfig?: Readonly<Record<string, string>>;
  /** Cluster of resources whose provider selects none. Default: no cluster. */
  kubernetes?: { kubeconfig: string; context?: string };
  /** Maximum number of concurrent operations on resources. Default 16, as in the CLI. */
  parallel?: number;
  /** Folder of the state, from `stateFolder()`; stacks that refer to each other share one. Default: a new one. */
  state?: string;
  onEvent?: (event: OperationEvent) => void;
}

/**
 * Operations of a stack by the Pulumi CLI, one after the other. Several stacks may run at a time; an unhandled rejection is
 * then an error of each of them.
 */
export interface Stack {
  preview(): Promise<OperationResult>;
  up(): Promise<OperationResult>;
  refresh(): Promise<OperationResult>;
  destroy(): Promise<OperationResult>;
  export(): Promise<StackExport>;
  /** Replaces the state, whose secrets are in plain text or have the passphrase `test`. */
  import(state: object): Promise<void>;
  /** Returns the output of `pulumi preview --json --show-sames`. Throws an error if the preview fails. */
  previewJson(): Promise<string>;
  /** Releases the lock of an operation that was killed. */
  cancel(): Promise<void>;
  /** Kills the operation that is running, with its plugins. */
  kill(): void;
}

export interface StackExport {
  readonly version: number;
  readonly deployment: {
    readonly manifest: object;
    readonly resources?: readonly ResourceState[];
  };
}

export interface ResourceState {
  readonly urn: string;
  readonly type: string;
  readonly custom?: boolean;
  readonly parent?: string;
  readonly provider?: string;
  readonly protect?: boolean;
  readonly dependencies?: readonly string[];
  readonly sourcePosition?: string;
  readonly created?: string;
  readonly modified?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Creates a folder for the state of stacks. It is deleted when this process or the test run ends. */
export function stateFolder(): string {
  const folder = mkdtempSync(join(process.env.TEST_STACKS ?? tmpdir(), "pulumi-stack-"));
  if (folders.size === 0) process.once("exit", removeFolders);
  folders.add(folder);
  return folder;
}

const folders = new Set<string>();

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

export function openStack(options: StackOptions): Stack {
  const { program, stack, state = stateFolder() } = options;
  const { project = projectOf(program) } = options;
  const folder = join(state, "projects", project);
  const file = join(folder, `Pulumi.${stack}.yaml`);
  const settings = ["--stack", stack, "--config-file", file];
  const cli = { project: folder, folder: state, kubeconfig: kubeconfigOf(options, state) };
  let kill = () => {};

  /** Creates the stack, unless it exists, and writes its configuration. */
  async function prepare(): Promise<void> {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "Pulumi.yaml"), stringify({ name: project, runtime: "nodejs" }));
    if (!existsSync(file)) await pulumi(cli, "stack", "init", stack);
    const encryptionsalt = saltIn(file);
    writeFileSync(file, stringify({ encryptionsalt, config: configOf(options, project) }));
    const secrets = Object.entries(options.secretConfig ?? {});
    if (secrets.length > 0) {
      const values = secrets.flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
      await pulumi(cli, "config", "set-all", ...settings, ...values);
    }
  }

  async function operate(command: string, ...flags: string[]) {
    await prepare();
    const events: CliEvent[] = [];
    await using server = await serveOperation({
      run: "run" in program ? program.run : undefined,
      config: "run" in program ? { "kubernetes:kubeconfig": cli.kubeconfig } : {},
      onEvent(event) {
        events.push(event);
        const known = options.onEvent && eventOf(event);
        if (known) options.onEvent?.(known);
      },
    });
    const child = spawn("pulumi", [command, ...flags, ...settings, ...common(options, server)], {
      cwd: "run" in program ? folder : program.dir,
      env: {
        ...process.env,
        ...environmentOf({ ...cli, programs: await findPulumi() }),
        ...("run" in program ? {} : program.env),
        PULUMI_DEBUG_COMMANDS: "true",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    kill = () => {
      const plugins = descendantIds(child.pid as number);
      child.kill("SIGKILL");
      for (const pid of plugins) killIfAlive(pid);
    };
    const closed = once(child, "close");
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = (await closed) as [number | null];
    kill = () => {};
    return { out, result: resultOf(events, code ?? -1, out + err) };
  }
  const yes = ["--yes", "--skip-preview"];

  return {
    preview: async () => (await operate("preview")).result,
    up: async () => (await operate("up", ...yes)).result,
    refresh: async () => (await operate("refresh", ...yes)).result,
    destroy: async () => (await operate("destroy", ...yes)).result,
    async previewJson() {
      const { out, result } = await operate("preview", "--json", "--show-sames");
      if (!result.succeeded)
        throw new Error(`the preview failed: ${JSON.stringify(result.diagnostics)}`);
      return out;
    },
    async export() {
      await prepare();
      return JSON.parse(await pulumi(cli, "stack", "export", "--stack", stack)) as StackExport;
    },
    async import(given) {
      await prepare();
      const state = given as { deployment: object };
      const secrets = { type: "passphrase", state: { salt: saltIn(file) } };
      const deployment = { secrets_providers: secrets, ...state.deployment };
      const path = join(folder, "imported.json");
      writeFileSync(path, JSON.stringify({ ...state, deployment }));
      await pulumi(cli, "stack", "import", "--stack", stack, "--file", path);
    },
    cancel: async () => void (await pulumi(cli, "cancel", "--yes", "--stack", stack)),
    kill: () => kill(),
  };
}

const saltIn = (file: string) =>
  (parse(readFileSync(file, "utf8")) as { encryptionsalt: string }).encryptionsalt;

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const common = ({ program, parallel }: StackOptions, { address }: OperationServer) => [
  ...["--non-interactive", "--color", "never", "--event-log", `tcp://${address}`],
  ...("run" in program ? [`--client=${address}`, "--exec-kind", "auto.inline"] : []),
  ...(parallel === undefined ? [] : ["--parallel", String(parallel)]),
];

function projectOf(program: StackOptions["program"]): string {
  if ("run" in program)
    throw new Error("project is missing; name it, since the program is a function");
  return readProject(program.dir).name;
}

function configOf(
  { program, stack, config = {}, kubernetes }: StackOptions,
  project: string,
): object {
  const own = "dir" in program ? join(program.dir, `Pulumi.${stack}.yaml`) : "";
  const given = existsSync(own) ? (parse(readFileSync(own, "utf8")) as { config?: object }) : {};
  const named = Object.entries(config).map(([key, value]) => [fullKey(project, key), value]);
  return {
    ...given?.config,
    ...(kubernetes?.context !== undefined && { "kubernetes:context": kubernetes.context }),
    ...Object.fromEntries(named),
  };
}

/** Path of the kubeconfig of an operation; without a cluster it reaches nothing. */
function kubeconfigOf({ kubernetes }: StackOptions, folder: string): string {
  if (kubernetes !== undefined) return kubernetes.kubeconfig;
  const file = join(folder, "no-cluster.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "Config" }));
  return file;
}
