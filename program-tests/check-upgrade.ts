import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, stringify } from "yaml";
import { fullKey, readProject } from "../recorder/index.ts";
import { impactOf, type LostObject, type ServiceImpact } from "../sdk/impact/impact.ts";
import { readPreview } from "../sdk/impact/preview.ts";
import { withComparedSecrets } from "./hidden-secrets.ts";
import { readExport, referencedStacks, type StackExport } from "./stack-export.ts";

export interface UpgradeOptions {
  /**
   * Output of `pulumi stack export`, as text or parsed. If its secrets are encrypted, they count as unchanged; pods
   * must not contain one. With `--show-secrets` they are compared.
   */
  readonly state: string | object;
  /** Folder with Pulumi.yaml. */
  readonly dir: string;
  /**
   * Configuration of the stack, with secrets in plain text. A key without a namespace belongs to the project. Default:
   * Pulumi.<stack>.yaml in the folder of the program.
   */
  readonly config?: Readonly<Record<string, string>>;
  /**
   * Path of the kubeconfig that the program gets. Default: a cluster that cannot be reached. A program that reads objects
   * of a cluster needs one.
   */
  readonly kubeconfig?: string;
}

/** Effect of an update. Objects have the form `LeaderWorkerSet prod/qwen-decode`. */
export interface UpgradeImpact {
  /** Objects that the update replaces, with the cause and how to avoid it. */
  readonly replaced: readonly LostObject[];
  /** Objects that the update deletes, with how to avoid it. */
  readonly deleted: readonly LostObject[];
  readonly created: readonly string[];
  readonly updated: readonly string[];
  /**
   * LeaderWorkerSets, and Deployments and StatefulSets with accelerators, in `updated` whose pods restart, because their
   * pod template changes.
   */
  readonly restarted: readonly string[];
  /** Accelerators of all replicas that restart or stop. */
  readonly restartedGpus: number;
  /** Effect on each service: the same as `pulumi-inference impact --format json` prints. */
  readonly services: readonly ServiceImpact[];
}

/**
 * Uses the Pulumi CLI to preview the update of a stack from its exported state, without a login or a cluster, and
 * returns the effect. A test can then prove that a new version of a dependency replaces, deletes and restarts nothing:
 *
 * ```ts
 * const state = readFileSync("prod.json", "utf8");
 * const { replaced, deleted, restarted } = await checkUpgrade({ state, dir: "." });
 * expect({ replaced, deleted, restarted }).toEqual({ replaced: [], deleted: [], restarted: [] });
 * ```
 *
 * `pulumi` must be on PATH. Outputs of other stacks that the program reads are those in the state.
 *
 * @throws Error if `state` is not the export of a stack of this program, and if the preview fails
 */
export async function checkUpgrade(options: UpgradeOptions): Promise<UpgradeImpact> {
  const exported = readExport(options.state);
  const { name } = readProject(options.dir);
  if (name !== exported.project)
    throw new Error(
      `state: belongs to project ${JSON.stringify(exported.project)}, but the program in ${options.dir} is project ${JSON.stringify(name)}; export a stack of that project`,
    );
  const folder = mkdtempSync(join(tmpdir(), "check-upgrade-"));
  try {
    writeState(folder, exported);
    return upgradeImpact(await previewOf(folder, exported, options), exported.isEncrypted);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the effect of an update from the output of `pulumi preview --json --show-sames`.
 *
 * @param isEncrypted whether secrets count as unchanged
 */
export function upgradeImpact(preview: string, isEncrypted: boolean): UpgradeImpact {
  const shown = readPreview(preview);
  // With --show-sames, each resource has a step. Without any, the exit code proves nothing.
  if (shown.length === 0)
    throw new Error("the preview contains no object, neither changed nor unchanged");
  const hidden = isEncrypted ? impactOf(shown).hidden : [];
  if (hidden.length > 0)
    throw new Error(
      `state: its encrypted secrets hide the pods of ${hidden.join(", ")}; export it with \`pulumi stack export --show-secrets\``,
    );
  const changes = readPreview(withComparedSecrets(preview, isEncrypted));
  const { services, restartedGpus } = impactOf(changes);
  const lost = services.flatMap((service) => service.lost);
  return {
    replaced: lost.filter(({ operation }) => operation === "replace"),
    deleted: lost.filter(({ operation }) => operation === "delete"),
    created: services.flatMap(({ created }) => created),
    updated: services.flatMap(({ updated }) => updated),
    restarted: services.flatMap(({ restarted }) => restarted),
    restartedGpus,
    services,
  };
}

/** Writes the states of the stack, and of the stacks that it refers to, as the file backend of the CLI stores them. */
function writeState(folder: string, exported: StackExport): void {
  const write = (project: string, stack: string, resources: readonly object[]) => {
    for (const name of [project, stack])
      if (!/^[\w-][\w.-]*$/.test(name))
        throw new Error(
          `state: ${JSON.stringify(name)} is not the name of a project or a stack; allowed: letters, digits, ".", "_" and "-"`,
        );
    const file = join(folder, ".pulumi", "stacks", project, `${stack}.json`);
    mkdirSync(dirname(file), { recursive: true });
    const manifest = { time: new Date(0).toISOString(), magic: "", version: "" };
    const checkpoint = {
      stack: `organization/${project}/${stack}`,
      latest: { manifest, resources },
    };
    writeFileSync(file, JSON.stringify({ version: 3, checkpoint }), { mode: 0o600 });
  };
  mkdirSync(join(folder, ".pulumi"));
  writeFileSync(join(folder, ".pulumi", "meta.yaml"), "version: 1\n");
  for (const [name, outputs] of referencedStacks(exported)) {
    const [stack = "", project = exported.project] = name.split("/").reverse();
    const urn = `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`;
    write(project, stack, [{ urn, custom: false, type: "pulumi:pulumi:Stack", outputs }]);
  }
  write(exported.project, exported.stack, exported.resources);
}

/**
 * Returns the output of `pulumi preview --json`.
 *
 * @throws Error if the preview fails, or takes longer than ten minutes
 */
async function previewOf(
  folder: string,
  { project, stack }: StackExport,
  { dir, config, kubeconfig }: UpgradeOptions,
): Promise<string> {
  const cluster = kubeconfig ?? join(folder, "kubeconfig");
  if (kubeconfig === undefined) writeFileSync(cluster, JSON.stringify(nowhere));
  const settings = join(folder, `Pulumi.${stack}.yaml`);
  writeFileSync(
    settings,
    stringify(settingsOf(join(dir, `Pulumi.${stack}.yaml`), project, config)),
    {
      mode: 0o600,
    },
  );
  const args = ["preview", "--json", "--show-sames", "--non-interactive"];
  const cli = spawn("pulumi", [...args, "--stack", stack, "--config-file", settings], {
    cwd: dir,
    env: {
      ...process.env,
      PULUMI_BACKEND_URL: `file://${folder}`,
      PULUMI_CONFIG_PASSPHRASE: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      KUBECONFIG: cluster,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutSeconds * 1_000,
    killSignal: "SIGKILL",
  });
  const [output, errors, [code, signal]] = await Promise.all([
    text(cli.stdout),
    text(cli.stderr),
    once(cli, "close"),
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new Error(
      "the Pulumi CLI is not on PATH; install it, or run `pulumi-inference impact` where it is",
    );
  });
  if (signal !== null)
    throw new Error(`the preview ended with ${signal}; it may take ${timeoutSeconds} s at most`);
  if (code !== 0) {
    // A failed preview prints its errors as JSON, too.
    if (output.trim() !== "") readPreview(output);
    throw new Error(`the preview failed with exit code ${code}: ${errors.trim()}`);
  }
  return output;
}

/** Longest preview, in seconds. A program that waits for an input would never end. */
const timeoutSeconds = 600;

/** Returns the settings of the stack. Its own backend and cluster are not used. */
function settingsOf(file: string, project: string, config: UpgradeOptions["config"]): object {
  const given = (existsSync(file) ? parse(readFileSync(file, "utf8")) : undefined) ?? {};
  const { "kubernetes:kubeconfig": _, "kubernetes:context": __, ...values } = given.config ?? {};
  if (config === undefined) return { ...given, config: values };
  const named = Object.entries(config).map(([key, value]) => [fullKey(project, key), value]);
  return { ...given, config: Object.fromEntries(named) };
}

/** A cluster that nothing reaches. Without a user, the client library would ask for a password. */
const nowhere = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "nowhere",
  clusters: [{ name: "nowhere", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "nowhere", user: { token: "none" } }],
  contexts: [{ name: "nowhere", context: { cluster: "nowhere", user: "nowhere" } }],
};
