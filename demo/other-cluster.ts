import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { planParsed } from "../sdk/plan/inference-service.ts";
import { label } from "../sdk/topology/names.ts";
import type { DemoOptions } from "./options.ts";
import type { Place, ShownPod } from "./place.ts";
import { gpusNeeded, heading } from "./report.ts";
import { restingPods } from "./resting-pods.ts";
import { demoStack } from "./stack.ts";
import { readStory, type Story } from "./story.ts";
import { table } from "./table.ts";

/** A cluster that is not the demo's own: nothing is written unasked, and what was written can always be deleted. */

/** What a kept folder says of the stack whose state it has. */
interface Kept {
  readonly story: number;
  readonly namespace: string;
  readonly context: string;
  readonly server: string;
  readonly kubeconfig: string;
}

const keptFile = "demo.json";

/** Shows a story in another cluster and deletes it; `show` runs between. Answers false where it may not. */
export async function inOtherCluster(
  options: DemoOptions,
  story: Story,
  show: (place: Place, folder: string) => Promise<void>,
): Promise<boolean> {
  const cluster = findCluster(options);
  console.log(question(cluster, options, story));
  if (!(await isAllowed(options))) return false;
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-demo-"));
  const { namespace } = options;
  const kept: Kept = { story: story.number, namespace, ...cluster };
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
    throw new Error(`there is no kubeconfig ${file}; name one by --kubeconfig`);
  config.loadFromFile(file);
  config.setCurrentContext(context ?? "");
  const server = config.getCurrentCluster()?.server;
  if (context === undefined || server === undefined) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(`context ${context} is not in ${file}; it has ${known.join(", ") || "none"}`);
  }
  return { context, server, kubeconfig: file };
}

/** What is about to happen, in words. */
function question(
  { context, server }: OtherCluster,
  { namespace }: Pick<DemoOptions, "namespace">,
  { number, title, service }: Story,
): string {
  const kinds = planParsed(service).map(({ kind }) => kind);
  const counts = [...new Set(kinds)].map(
    (kind) => `${kinds.filter((each) => each === kind).length} ${kind}`,
  );
  const rows = [
    ["context", context],
    ["server", server],
    ["namespace", namespace],
    ["creates", counts.join(", ")],
    ["GPUs", String(gpusNeeded(service))],
  ];
  return `Story ${number}, ${title}, in a cluster that is not the demo's:
${table(rows)}
Then it shows the pods and deletes what it created.`;
}

async function isAllowed({ yes }: Pick<DemoOptions, "yes">): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    console.error("Nobody can be asked here. Give --yes to go on.");
    return false;
  }
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question("Go on? [y/N] ");
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

const howToDestroy = (folder: string) => `
What was created may still be there, and its state is kept. Delete all of it with:
  npm run demo -- --destroy ${folder}`;

/** Deletes what a run left in another cluster, and then the folder. */
export async function destroyKept(folder: string): Promise<void> {
  const file = join(folder, keptFile);
  if (!existsSync(file))
    throw new Error(`${folder} has no ${keptFile}, so no run of the demo kept it`);
  const { story: number, namespace, ...kept } = JSON.parse(readFileSync(file, "utf8")) as Kept;
  const now = findCluster(kept);
  if (now.server !== kept.server) {
    throw new Error(
      `context ${kept.context} is ${now.server} now, and ${folder} is of ${kept.server}; nothing was deleted`,
    );
  }
  heading(`Destroy what is in namespace ${namespace} of context ${now.context} (${now.server})`);
  const manifest = readStory(number, namespace).writeTo(folder);
  await demoStack({ manifest, ...now, folder }).destroy();
  rmSync(folder, { recursive: true, force: true });
}
