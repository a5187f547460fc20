import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { previewedState } from "../../testing/programs/previewed-state.ts";
import { openStack } from "../../testing/programs/pulumi-stack.ts";
import { router, vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { InferenceService, type InferenceServiceArgs } from "../index.ts";

/** Previews of edits from a state by the Pulumi CLI, without a cluster. */

interface Program {
  readonly metadata?: object;
  readonly roles?: readonly object[];
  readonly opts?: pulumi.ComponentResourceOptions;
}

const run =
  ({ metadata = {}, roles = [worker({ replicas: 3 }), router()], opts = {} }: Program) =>
  async () => {
    const args = { metadata: { namespace: "ns", ...metadata }, roles } as InferenceServiceArgs;
    new InferenceService("qwen", args, opts);
  };

/** Returns the warnings of the preview of an edit. */
async function warningsOf(before: Program, after: Program): Promise<string[]> {
  const stack = openStack({ project: "p", stack: "s", program: { run: run(after) } });
  await stack.import(await previewedState(run(before)));
  const { succeeded, diagnostics } = await stack.preview();
  expect(succeeded, JSON.stringify(diagnostics)).toBe(true);
  return diagnostics
    .filter(({ message }) => message.includes(": the update "))
    .map(({ severity, message }) => `${severity}: ${message}`);
}

const moved =
  'warning: InferenceService "qwen": the update replaces LeaderWorkerSet ns/qwen-inference because metadata.namespace changed: 3 replicas with 24 accelerators stop. A namespace cannot change in place. Create a second service in the new namespace, move its requests there, and then remove this one. `pulumi-inference impact` lists all objects.';
const image = vllmTemplate(8, { image: "vllm/vllm-openai:v0.11.1" });
const secret = { env: [{ name: "TOKEN", value: pulumi.secret("s") }] };

it.each<readonly [string, Program, Program, readonly string[]]>([
  ["of nothing", {}, {}, []],
  ["of the image", {}, { roles: [worker({ replicas: 3, template: image }), router()] }, []],
  ["of fewer replicas", {}, { roles: [worker({ replicas: 1 }), router()] }, []],
  ["of the namespace", {}, { metadata: { namespace: "prod" } }, [moved]],
  [
    "of the namespace to an Output",
    {},
    { metadata: { namespace: pulumi.output("prod") } },
    [moved],
  ],
  [
    "of the name of a role whose pods have a secret",
    { roles: [worker({ template: vllmTemplate(8, secret) })] },
    { roles: [worker({ name: "chat", template: vllmTemplate(8, secret) })] },
    [
      'warning: InferenceService "qwen": the update deletes LeaderWorkerSet ns/qwen-inference: 1 replica with 8 accelerators stops. The update creates role chat and deletes role inference. Keep the name of the role. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "of the namespace, with retainOnDelete",
    { opts: { retainOnDelete: true } },
    { metadata: { namespace: "prod" }, opts: { retainOnDelete: true } },
    [],
  ],
])("a preview of an edit %s prints its warnings", async (_, before, after, expected) => {
  expect(await warningsOf(before, after)).toEqual(expected);
});
