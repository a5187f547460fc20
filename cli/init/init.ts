import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { modelFacts } from "../../sdk/engines/models/model-facts.ts";
import { formatProblem, type Problem, SpecError } from "../../sdk/errors.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import type { InferenceServiceInput } from "../../sdk/spec/inference-service.ts";
import { exitCode, UsageError, ValidationError } from "../exit-code.ts";
import { readModel } from "../fit/read-model.ts";
import { makeFolder } from "../render/write-folder.ts";
import type { Terminal } from "../terminal.ts";
import { ownDependency } from "./own-package.ts";
import { type Project, projectFiles } from "./project-files.ts";

export interface InitOptions {
  model: string;
  accelerator: string;
  engine: Project["engine"];
  /** Path of a config.json. */
  config?: string;
  gatewayClass: string;
  name?: string;
}

/** Name of the Secret with the Hugging Face token of a gated model. */
const tokenSecret = "hf-token";

/** Writes a project that serves a model, after a preview's checks have passed. */
export async function init(
  folder: string,
  { name, gatewayClass: gatewayClassName, config: path, ...written }: InitOptions,
  terminal: Terminal,
): Promise<number> {
  const { out, err } = terminal;
  const given = path === undefined ? undefined : await readModel(written.model, path, terminal);
  const { gated = false, task = "generate" } = given?.facts ?? modelFacts(written.model) ?? {};
  const project: Project = {
    ...written,
    task,
    gatewayClassName,
    name: name ?? nameOfModel(written.model),
    ...(given?.config && { config: given.config }),
    ...(gated && { tokenSecret }),
  };
  for (const advice of check(project)) err.write(`warning: ${formatProblem(advice)}\n`);
  await prepareFolder(folder);
  const { ownDependency: stated } = terminal;
  const dependency = stated?.(folder) ?? ownDependency(folder, terminal);
  for (const [file, content] of projectFiles(project, dependency))
    await writeFile(join(folder, file), content);
  out.write(`Wrote ${project.name} to ${folder}. Its README.md has the next commands.\n`);
  return exitCode.ok;
}

/** Returns the warnings of a preview. */
function check(project: Project): Problem[] {
  const { name, model, config, accelerator, engine, gatewayClassName } = project;
  const advice: Problem[] = [];
  const gateway = {
    gatewayClassName,
    listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
  };
  const input = {
    metadata: { name },
    spec: {
      model: {
        name: model,
        ...(config && { config }),
        ...(project.tokenSecret && { token: { secret: project.tokenSecret } }),
      },
      accelerator,
      engine: { name: engine },
      roles: [
        { name: "worker", componentType: "worker" },
        { name: "router", componentType: "router", gateway },
      ],
    },
  };
  try {
    planInferenceService(input as InferenceServiceInput, {
      onAdvice: (problem) => advice.push(problem),
    });
    return advice;
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new ValidationError(error.problems.map((problem) => ({ location: "", problem })));
  }
}

/** Returns the last part of a model's name, with characters that Kubernetes allows. */
const nameOfModel = (model: string) =>
  model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** @throws UsageError for a folder with files, except a Git repository */
async function prepareFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    const present = (await readdir(folder)).filter((file) => file !== ".git");
    if (present.length > 0)
      throw new UsageError(
        `${folder}: is not empty, it contains ${present.slice(0, 3).join(", ")}; name a new or an empty folder`,
      );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${folder}: ${(error as Error).message}`);
  }
}
