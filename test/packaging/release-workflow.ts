import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";

interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly defaults: { readonly run: { readonly shell: string } };
  readonly jobs: {
    readonly release: {
      readonly env: Readonly<Record<string, string>>;
      readonly steps: readonly Step[];
    };
  };
}

/** Returns the release workflow of a checkout. */
export function releaseWorkflow(checkout: string): Workflow {
  const file = join(checkout, ".github", "workflows", "release.yml");
  return parse(readFileSync(file, "utf8"), { strict: true }) as Workflow;
}

export interface StepOptions {
  /** A copy of the checkout, in which the commands run. */
  readonly folder: string;
  /** Variables that replace the variables of the workflow, the job and the step. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the commands of a step as GitHub's runner does. Returns the outputs of the step. */
export async function runStep(
  name: string,
  { folder, env }: StepOptions,
): Promise<Record<string, string>> {
  const { defaults, jobs } = releaseWorkflow(folder);
  const step = jobs.release.steps.find((each) => each.name === name);
  if (step?.run === undefined) throw new Error(`the release workflow has no step named "${name}"`);
  if (defaults.run.shell !== "bash") throw new Error("the release workflow does not run bash");
  const variables = { ...jobs.release.env, ...step.env, ...env };
  const unset = Object.keys(variables).filter((key) => variables[key]?.includes("${{"));
  if (unset.length > 0) throw new Error(`the rehearsal sets no ${unset.join(", ")}`);
  const scratch = mkdtempSync(join(tmpdir(), "release-step-"));
  const [script, output] = [join(scratch, "step.sh"), join(scratch, "output")];
  writeFileSync(script, step.run);
  writeFileSync(output, "");
  const flags = ["--noprofile", "--norc", "-eo", "pipefail"];
  try {
    await promisify(execFile)("bash", [...flags, script], {
      cwd: folder,
      maxBuffer: 1e8,
      env: { ...process.env, ...variables, GITHUB_OUTPUT: output },
    });
    const lines = readFileSync(output, "utf8").matchAll(/^(\w+)=(.*)$/gm);
    return Object.fromEntries([...lines].map(([, key = "", value = ""]) => [key, value]));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
