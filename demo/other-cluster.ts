import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { label } from "../sdk/names.ts";
import { planParsed } from "../sdk/plan/inference-service.ts";
import type { Location, ShownPod } from "./location.ts";
import type { DemoOptions } from "./options.ts";
import { gpusNeeded, heading, kindCounts } from "./report.ts";
import { restingPods } from "./resting-pods.ts";
import { demoStack } from "./stack.ts";
import { manifestIn, type Story } from "./story.ts";
import { table } from "./table.ts";

/** `--context`: the demo asks before it writes to another cluster, and can delete its objects later. */

/** The cluster of the stack whose state a folder contains. */
interface Kept {
  readonly namespace: string;
  readonly context: string;
  readonly server: string;
  readonly kubeconfig: string;
}

const keptFile = "demo.json";

/** Has `show` deploy and destroy a story in another cluster. Returns false if the user does not allow it. */
export async function inOtherCluster(
  options: DemoOptions,
  story: Story,
  show: (place: Location, folder: string) => Promise<void>,
): Promise<boolean> {
  const cluster = findCluster(options);
  console.log(question(cluster, options, story));
  if (!(await isAllowed(options))) return false;
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const { namespace } = options;
  const kept: Kept = { namespace, ...cluster };
  writeFileSync(join(folder, keptFile), JSON.stringify(kept, null, 2));
  const interrupted = () => {
    console.error(howToDestroy(folder));
    process.exit(130);
  };
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const ofStory = async () =>
    (await restingPods(cluster, namespace)).filter((pod) => isOf(pod, story));
  try {
    await show(
      {
        words: `context ${cluster.context} (${cluster.server})`,
        ...cluster,
        gpus: options.gpus ?? gpusNeeded(story.service),
        schedules: false,
        settled: ofStory,
        left: async () => (await ofStory()).length,
        stop: async () => {},
      },
      folder,
    );
  } catch (error) {
    console.error(howToDestroy(folder));
    throw error;
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
  rmSync(folder, { recursive: true, force: true });
  return true;
}

const isOf = ({ metadata }: ShownPod, { service }: Story) =>
  metadata?.labels?.[label.service] === service.metadata.name;

interface OtherCluster extends Pick<Kept, "context" | "server" | "kubeconfig"> {}

function findCluster({
  context,
  kubeconfig = process.env.KUBECONFIG || join(homedir(), ".kube", "config"),
}: Pick<DemoOptions, "context" | "kubeconfig">): OtherCluster {
  const config = new KubeConfig();
  const file = resolve(kubeconfig);
  if (!existsSync(file))
    throw new Error(`kubeconfig ${file} does not exist; name one with --kubeconfig`);
  config.loadFromFile(file);
  config.setCurrentContext(context ?? "");
  const server = config.getCurrentCluster()?.server;
  if (context === undefined || server === undefined) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(`${file} has no context ${context}; it has ${known.join(", ") || "none"}`);
  }
  return { context, server, kubeconfig: file };
}

/** Describes the run before it starts. */
function question(
  { context, server }: OtherCluster,
  { namespace }: Pick<DemoOptions, "namespace">,
  { title, service }: Story,
): string {
  const kinds = planParsed(service).map(({ kind }) => kind);
  const rows = [
    ["context", context],
    ["server", server],
    ["namespace", namespace],
    ["creates", kindCounts(kinds)],
    ["GPUs", String(gpusNeeded(service))],
  ];
  return `${title}, in another cluster:
${table(rows)}
The demo shows the pods and then deletes these objects.`;
}

async function isAllowed({ yes }: Pick<DemoOptions, "yes">): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    console.error("The demo cannot ask without a terminal. Add --yes to go on.");
    return false;
  }
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question("Go on? [y/N] ");
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

const howToDestroy = (folder: string) => `
The cluster may still contain objects of the demo. Delete them with:
  npm run demo -- --destroy ${folder}`;

/** Deletes the objects that a run left in another cluster, and then its folder. */
export async function destroyKept(folder: string): Promise<void> {
  const file = join(folder, keptFile);
  if (!existsSync(file))
    throw new Error(`${folder} has no ${keptFile}: it is not a folder that the demo kept`);
  const { namespace, ...kept } = JSON.parse(readFileSync(file, "utf8")) as Kept;
  const now = findCluster(kept);
  if (now.server !== kept.server) {
    throw new Error(
      `context ${kept.context} is now ${now.server}, but the objects are in ${kept.server}; nothing was deleted`,
    );
  }
  heading(`Destroy the stack in namespace ${namespace} of context ${now.context} (${now.server})`);
  await demoStack({ manifest: manifestIn(folder), ...now, folder }).destroy();
  rmSync(folder, { recursive: true, force: true });
}
