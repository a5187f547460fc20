import type { Manifest } from "../../sdk/index.ts";
import type { ApiClient } from "../../testing/api/api-client.ts";
import { objectPath } from "../../testing/object-path.ts";
import type { ResourceState } from "../../testing/programs/pulumi-stack.ts";
import { readStacks, stackName } from "../upgrade/recorded-stacks.ts";

/** A deployed example as an earlier version planned it. */
export interface RecordedService {
  readonly project: string;
  readonly stack: string;
  readonly config: Readonly<Record<string, string>>;
  /** State to import. */
  readonly state: object;
}

interface RecordedState {
  readonly version: number;
  readonly deployment: { readonly resources: ReadonlyArray<ResourceState> };
}

/** Creates the recorded objects of an example in a namespace, and returns the stack that manages them. */
export async function deployRecorded(
  client: Pick<ApiClient, "apply">,
  version: string,
  project: string,
  namespace: string,
): Promise<RecordedService> {
  const recorded = readStacks(version).find(({ example }) => example === `examples/${project}`);
  if (recorded === undefined) throw new Error(`examples/${project} is not recorded`);
  const state = inNamespace(recorded.state as RecordedState, namespace);
  const resources = [];
  for (const resource of state.deployment.resources)
    resources.push(isObject(resource) ? await applied(client, resource) : resource);
  return {
    ...{ project, stack: stackName, config: recorded.config },
    state: { ...state, deployment: { ...state.deployment, resources } },
  };
}

/** Returns a state of namespace `default` with the names of another one. */
const inNamespace = (state: RecordedState, namespace: string): RecordedState =>
  JSON.parse(
    JSON.stringify(state)
      .replaceAll('"namespace":"default"', `"namespace":"${namespace}"`)
      .replaceAll('"default/', `"${namespace}/`)
      .replaceAll('"default-', `"${namespace}-`)
      .replaceAll("=default", `=${namespace}`),
  );

const isObject = ({ type }: ResourceState) => type.startsWith("kubernetes:");

/** Creates an object as the provider does. The state contains the metadata that the API server has set. */
async function applied(client: Pick<ApiClient, "apply">, resource: ResourceState) {
  const manifest = resource.inputs as unknown as Manifest;
  const { __fieldManager: manager } = resource.outputs as { __fieldManager: string };
  const { metadata } = await client.apply<Manifest>(objectPath(manifest), manifest, manager);
  const { managedFields, ...written } = metadata as unknown as Record<string, unknown>;
  return { ...resource, outputs: { ...resource.outputs, metadata: written } };
}
