import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { openStack } from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { startStandIns } from "../../testing/stand-ins/start.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

const example = join(repositoryRoot, "examples", "quickstart");

/** The quickstart as a reader runs it: the program in its own project, deployed, and with requests. */
export interface Quickstart extends AsyncDisposable {
  readonly namespace: string;
  readonly traffic: LiveTraffic;
  /** The stack's outputs after another `up`. */
  outputs(): Promise<Record<string, unknown>>;
  /** The Gateway gets the address that Envoy listens on, and Pulumi reads it. */
  giveAddress(): Promise<void>;
  /** A command of the package, or of the README. */
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const model = "Qwen/Qwen2.5-0.5B-Instruct";

/**
 * @param modules folder whose node_modules has the packed package
 */
export async function startQuickstart(
  modules: string,
  cluster: AttachedCluster,
): Promise<Quickstart> {
  const folder = join(modules, "quickstart");
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(example, "index.ts"), join(folder, "index.ts"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "Pulumi.yaml"),
    "name: quickstart\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n",
  );
  const namespace = await freshNamespace(cluster, "quickstart");
  const standIns = await startStandIns(cluster, { namespace, tickMs: 20 });
  const gatewayPort = await freePort();
  const stack = openStack({
    ...{ stack: "test", program: { dir: folder } },
    kubernetes: { kubeconfig: cluster.kubeconfig },
    config: { namespace, gatewayPort: String(gatewayPort) },
  });
  const up = async () => {
    const { diagnostics, outputs } = await stack.up();
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
    return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  };
  await up();
  const traffic = await startLiveTraffic({
    kubeconfig: cluster.kubeconfig,
    namespace,
    folder: join(folder, "traffic"),
    gateway: { port: gatewayPort },
    serverOf: () => ({ model, stepMs: 1 }),
  });
  return {
    namespace,
    traffic,
    outputs: up,
    async giveAddress() {
      const path = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways/quickstart-gateway/status`;
      const status = { addresses: [{ type: "IPAddress", value: "127.0.0.1" }] };
      await cluster.request("PATCH", path, { status }, mergePatchType);
      await stack.refresh();
    },
    run: (command, args, env = {}) => runCommand(folder, command, args, env),
    async [Symbol.asyncDispose]() {
      await traffic.stop();
      await stack.destroy();
      await standIns.stop();
    },
  };
}

/** The block of the example's README that begins so. */
export function readmeCommand(start: string): string {
  const readme = readFileSync(join(example, "README.md"), "utf8");
  const lines = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) => {
    const at = block.indexOf(start);
    return at < 0 ? [] : [block.slice(at)];
  });
  if (lines[0] === undefined)
    throw new Error(`the README has no command that begins with ${start}`);
  return lines[0];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const execute = promisify(execFile);

const runCommand = (
  cwd: string,
  command: string,
  args: readonly string[],
  env: object,
): Promise<Ran> =>
  execute(command, args, { cwd, env: { ...process.env, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
