import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadProject, recordProgram } from "../recorder/index.ts";
import { connectTo } from "../testing/api/api-client.ts";
import {
  applyObjects,
  deleteObjects,
  objectsOf,
  type RecordedObject,
} from "../testing/clusters/recorded-objects.ts";
import { pulumiStack } from "../testing/programs/pulumi-cli.ts";
import { missingPulumi } from "../testing/programs/pulumi-programs.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { ownImage } from "./plan.ts";
import { printMessages, resourceTree } from "./report.ts";

/** The stack of the demo: the project at the repository's root with one manifest. */
export interface DemoStack {
  /** The program or method that deploys it, for messages. */
  readonly engine: string;
  up(): Promise<void>;
  destroy(): Promise<void>;
}

export interface StackLocation {
  /** Path of the InferenceService manifest. */
  readonly manifest: string;
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  /** Folder of the stack's state. A later operation uses what wrote it. */
  readonly folder: string;
  /** Receives the ids of processes that must not outlive this one. */
  readonly guard?: ((pid: number) => void) | undefined;
}

/** The applied objects, in the folder of the stack. */
const appliedFile = "objects.json";
const cliState = ".pulumi";

/** Uses the Pulumi CLI if it and its Kubernetes provider are on PATH, else server-side apply. */
export function demoStack(place: StackLocation): DemoStack {
  if (existsSync(join(place.folder, cliState))) return cliStack(place);
  const isApplied = existsSync(join(place.folder, appliedFile)) || missingPulumi().length > 0;
  return isApplied ? appliedStack(place) : cliStack(place);
}

function appliedStack({ manifest, kubeconfig, context, folder }: StackLocation): DemoStack {
  const file = join(folder, appliedFile);
  const client = connectTo(kubeconfig, context);
  return {
    engine: "server-side apply (no Pulumi CLI with its kubernetes provider on PATH)",
    async up() {
      const project = await loadProject(repositoryRoot, "demo");
      const { resources, diagnostics, succeeded } = await recordProgram({
        ...project,
        config: { manifest, ...ownImage },
      });
      printMessages(diagnostics);
      if (!succeeded) throw new Error("the program failed; see the messages above");
      const objects = objectsOf(resources);
      // Written first, so that a demo which is interrupted can delete them.
      writeFileSync(file, JSON.stringify(objects));
      await applyObjects(objects, () => client);
      console.log(resourceTree(resources));
    },
    async destroy() {
      const objects = JSON.parse(readFileSync(file, "utf8")) as RecordedObject[];
      await deleteObjects(objects, () => client);
      console.log(`  ${objects.length} objects deleted`);
    },
  };
}

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
