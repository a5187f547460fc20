import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, type RecordedResource, recordProgram } from "../recorder/index.ts";
import { type InferenceService, type Manifest, parseInferenceService } from "../sdk/index.ts";

/** The resources that a program of `demo/program` registers, without a cluster. */
export interface Plan {
  /** The Kubernetes objects that `pulumi up` would create. */
  readonly objects: readonly Manifest[];
  /** Arguments of the program's InferenceService. Undefined if the program was refused. */
  readonly service: InferenceService | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const fileOf = (program: Program) => join(import.meta.dirname, "program", `${program}.ts`);

export const sourceOf = (program: Program): string => readFileSync(fileOf(program), "utf8");

/** The demo runs the endpoint picker of this checkout. The name of an image keeps the preview from warning of it. */
export const ownImage = { "pulumi-inference:image": "localhost/pulumi-inference:checkout" };

type Program = "two-nodes" | "one-node";

const plans = new Map<Program, Promise<Plan>>();

/** Previews a program, once. */
export function planProgram(program: Program): Promise<Plan> {
  const plan = plans.get(program) ?? preview(program);
  plans.set(program, plan);
  return plan;
}

async function preview(program: Program): Promise<Plan> {
  const objects: Manifest[] = [];
  let service: InferenceService | undefined;
  const { resources, diagnostics } = await recordProgram({
    ...{ project: "demo", stack: "preview", config: ownImage },
    program: { run: () => import(fileOf(program)), transport: "grpc" },
  });
  for (const { type, properties } of resources) {
    if (type === "inference:index:InferenceService") service = serviceOf(properties);
    else if (properties.apiVersion !== undefined) objects.push(properties as unknown as Manifest);
  }
  return { objects, service, diagnostics };
}

function serviceOf({ metadata, waitFor: _, ...spec }: RecordedResource["properties"]) {
  return parseInferenceService({ metadata, spec } as Parameters<typeof parseInferenceService>[0]);
}
