import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { directoryState, loadProject, openStack, type Step } from "../../engine/index.ts";
import { repositoryRoot } from "../harness/repository.ts";
import { resourceTree } from "./report.ts";

/** The stack of the demo: the project at the repository's root with one manifest. */
export interface DemoStack {
  /** Who runs it, in words. */
  readonly engine: string;
  up(): Promise<void>;
  destroy(): Promise<void>;
}

export interface StackPlace {
  /** Path of the InferenceService manifest. */
  readonly manifest: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  /** Folder for the stack's state. */
  readonly folder: string;
}

/** The Pulumi CLI where it and its Kubernetes provider are on PATH, else the local engine. */
export function demoStack(place: StackPlace): DemoStack {
  const cli = ["pulumi", "pulumi-resource-kubernetes"].every(isOnPath);
  return cli ? cliStack(place) : localStack(place);
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)));
}

function localStack({ manifest, kubeconfig, context, folder }: StackPlace): DemoStack {
  const open = async () => {
    const project = await loadProject(repositoryRoot, "demo");
    return openStack({
      ...project,
      config: { manifest },
      state: directoryState(join(folder, "state")),
      kubernetes: { kubeconfig, context },
      onEvent: (event) => {
        if (event.kind === "diagnostic") console.error(event.diagnostic.message);
      },
    });
  };
  const succeed = (operation: string, { succeeded }: { succeeded: boolean }) => {
    if (!succeeded) throw new Error(`${operation} failed; see the messages above`);
  };
  return {
    engine: "the local engine (no Pulumi CLI with its kubernetes provider on PATH)",
    async up() {
      const result = await (await open()).up();
      console.log(resourceTree(result.steps));
      succeed("up", result);
    },
    async destroy() {
      const result = await (await open()).destroy();
      succeed("destroy", result);
      console.log(`  ${deleted(result.steps)} objects deleted`);
    },
  };
}

const deleted = (steps: readonly Step[]) =>
  steps.filter(
    ({ operation, custom, type }) =>
      operation === "delete" && custom && type.startsWith("kubernetes:"),
  ).length;

function cliStack({ manifest, kubeconfig, context, folder }: StackPlace): DemoStack {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const pulumi = (...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn("pulumi", args, { cwd: repositoryRoot, env, stdio: "inherit" });
      child.on("error", reject);
      child.on("exit", (code) =>
        code === 0 ? resolve() : reject(new Error(`pulumi ${args[0]} ended with ${code}`)),
      );
    });
  // The stack's configuration stays out of the checkout.
  const stack = ["--stack", "demo", "--config-file", join(folder, "Pulumi.demo.yaml")];
  return {
    engine: "the Pulumi CLI",
    async up() {
      await pulumi("stack", "init", "demo");
      await pulumi("config", "set", ...stack, "manifest", manifest);
      if (context !== undefined)
        await pulumi("config", "set", ...stack, "kubernetes:context", context);
      await pulumi("up", "--yes", "--skip-preview", ...stack);
    },
    destroy: () => pulumi("destroy", "--yes", "--skip-preview", ...stack),
  };
}
