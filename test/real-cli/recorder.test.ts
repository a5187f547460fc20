import { join } from "node:path";
import { expect, it } from "vitest";
import { isSecret, loadProject, mapValue, recordProgram } from "../../recorder/index.ts";
import { hiddenSecret } from "../../sdk/impact/hidden-values.ts";
import { examplePrograms } from "../../testing/programs/example-programs.ts";
import { providerInputs } from "../../testing/programs/previewed-state.ts";
import { openStack } from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** A recording contains the resources that a preview of the Pulumi CLI plans for a new stack. */

/** Examples that read the outputs of a stack or the objects of a cluster, which a new stack of the CLI does not find. */
const reading = [/llm-services\/(chat|games)-team/, /multi-cluster-parent\/importer/];

interface Planned {
  readonly urn: string;
  readonly parent: string | undefined;
  readonly inputs: unknown;
}

/** Returns inputs as a preview of the CLI prints them. */
const printed = (type: string, properties: object): unknown =>
  mapValue(providerInputs(type, properties), (value) =>
    isSecret(value) ? { value: hiddenSecret } : undefined,
  );

const byUrn = (all: readonly Planned[]) => [...all].sort((a, b) => (a.urn < b.urn ? -1 : 1));

it.each(examplePrograms.filter((each) => !reading.some((pattern) => pattern.test(each))))(
  "a recording of %s has the objects that the CLI plans",
  async (example) => {
    const dir = join(repositoryRoot, example);
    const project = await loadProject(dir, "new");
    const config = { [`${project.project}:kubeconfig`]: "{}" };
    const { resources, diagnostics } = await recordProgram({ ...project, config });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const stack = openStack({ stack: "new", program: { dir }, config });
    const { steps } = JSON.parse(await stack.previewJson()) as {
      steps: { newState?: { urn: string; type: string; parent?: string; inputs?: unknown } }[];
    };
    const theirs = steps.flatMap(({ newState }) =>
      newState?.type.startsWith("kubernetes:")
        ? [{ urn: newState.urn, parent: newState.parent, inputs: newState.inputs }]
        : [],
    );
    const ours = resources
      .filter(({ type }) => type.startsWith("kubernetes:"))
      .map(({ urn, type, parent, properties }) => ({
        urn,
        parent,
        inputs: printed(type, properties),
      }));
    expect(byUrn(ours)).toEqual(byUrn(theirs));
    expect(ours.length).toBeGreaterThan(0);
  },
);
