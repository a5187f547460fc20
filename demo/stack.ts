import { existsSync } from "node:fs";
import { join } from "node:path";
import { directoryState, loadProject, openStack, type Step } from "../engine/index.ts";
import { pulumiStack } from "../testing/programs/pulumi-cli.ts";
import { missingPulumi } from "../testing/programs/pulumi-programs.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { resourceTree } from "./report.ts";

/** The stack of the demo: the project at the repository's root with one manifest. */
export interface DemoStack {
  /** The engine that runs it, for messages. */
  readonly engine: string;
  up(): Promise<void>;
  destroy(): Promise<void>;
}

export interface StackLocation {
  /** Path of the InferenceService manifest. */
  readonly manifest: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  /** Folder of the stack's state. A later operation uses the engine that wrote it. */
  readonly folder: string;
  /** Receives the ids of processes that must not outlive this one. */
  readonly guard?: ((pid: number) => void) | undefined;
}

const localState = "state";
const cliState = ".pulumi";

/** Uses the Pulumi CLI if it and its Kubernetes provider are on PATH, else the local engine. */
export function demoStack(place: StackLocation): DemoStack {
  if (existsSync(join(place.folder, cliState))) return cliStack(place);
  const isLocal = existsSync(join(place.folder, localState)) || missingPulumi().length > 0;
  return isLocal ? localStack(place) : cliStack(place);
}

function localStack({ manifest, kubeconfig, context, folder }: StackLocation): DemoStack {
  const open = async () => {
    const project = await loadProject(repositoryRoot, "demo");
    return openStack({
      ...project,
      config: { manifest },
      state: directoryState(join(folder, localState)),
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

function cliStack({ manifest, kubeconfig, context, folder, guard }: StackLocation): DemoStack {
  const opened = pulumiStack({
    ...{ project: repositoryRoot, stack: "demo", folder, kubeconfig, show: true },
    exists: existsSync(join(folder, cliState)),
    ...(guard && { onStart: guard }),
    config: { manifest, ...(context === undefined ? {} : { "kubernetes:context": context }) },
  });
  const run = async (command: string) => {
    await (await opened)(command, "--yes", "--skip-preview");
  };
  return {
    engine: "the Pulumi CLI",
    up: () => run("up"),
    destroy: () => run("destroy"),
  };
}
