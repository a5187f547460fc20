import { readFileSync } from "node:fs";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import aliasProtos from "@pulumi/pulumi/proto/alias_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Deployment } from "./deployment.ts";
import { applyingManager } from "./kubernetes/field-managers.ts";
import { objectId, toObject } from "./kubernetes/object.ts";
import { objectOutputs } from "./kubernetes/object-outputs.ts";
import { KubernetesProvider } from "./kubernetes/provider.ts";
import { Monitor } from "./monitor/monitor.ts";
import { callback, callbackGrpc, fromStruct, resource, toStruct } from "./monitor/protos.ts";
import type { PropertyMap } from "./property-value.ts";
import type { Provider, ProviderPlugin } from "./provider.ts";
import { fromCheckpoint } from "./state/checkpoint.ts";
import { openSecrets } from "./state/passphrase.ts";
import { referencesOf } from "./state/resource-state.ts";
import { Snapshot } from "./state/snapshot.ts";

// The recorded engine and ours receive the same requests. Their responses may differ only in the random hex of names,
// field managers and provider ids, which `renamed` makes equal.

interface Recorded {
  method: string;
  progress: string;
  request: PropertyMap;
  response?: PropertyMap;
}

const recorded = readFileSync(new URL("./fixtures/recorded/grpc.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ progress }) => progress === "response_completed");

const callsTo = (method: string) => recorded.filter((call) => call.method.endsWith(`/${method}`));

/** Random texts in the recording, with the corresponding ones in this run. */
const names = new Map<string, string>();
const renamed = <T>(value: T): T => {
  let text = JSON.stringify(value);
  for (const [theirs, ours] of names) text = text.replaceAll(theirs, ours);
  return JSON.parse(text) as T;
};

const RANDOM = /-[0-9a-f]{8}(?![0-9a-f-])|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Maps random texts of the recording to random texts of this run; both values have the same shape. */
function learnNames(theirs: unknown, ours: unknown): void {
  const [a, b] = [theirs, ours].map((value) => JSON.stringify(sorted(value)).match(RANDOM) ?? []);
  a?.forEach((text, i) => {
    if (b?.[i] !== undefined) names.set(text, b[i]);
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** Checks and creates that our engine requests from the provider, for comparison with the recorded ones. */
const asked: { check: PropertyMap[]; create: PropertyMap[] } = { check: [], create: [] };

/** The provider in the recording also had no cluster: a create returned the inputs. */
function offlineProvider(): Provider {
  const provider = new KubernetesProvider({
    settings: {
      cluster: undefined,
      namespace: "default",
      enableConfigMapMutable: false,
      enableSecretMutable: false,
      enablePatchForce: false,
    },
    client: undefined,
  });
  return Object.assign(Object.create(provider) as KubernetesProvider, {
    async check(request: Parameters<Provider["check"]>[0]) {
      const answer = await provider.check(request);
      const { urn, newInputs } = request;
      asked.check.push({ urn, news: newInputs, inputs: answer.inputs });
      return answer;
    },
    async create({ urn, inputs, timeoutSeconds }: Parameters<Provider["create"]>[0]) {
      asked.create.push({
        urn,
        properties: inputs,
        ...(timeoutSeconds && { timeout: timeoutSeconds }),
      });
      const object = toObject(inputs);
      return { id: objectId(object), outputs: objectOutputs(object, inputs, applyingManager(urn)) };
    },
  });
}

const plugin: ProviderPlugin = {
  checkConfig: () => [],
  diffConfig: () => ({ changed: [], replace: [] }),
  configure: () => offlineProvider(),
};

/** Returns a RegisterResourceRequest from its JSON. */
function registerRequest(json: PropertyMap) {
  const request = new resource.RegisterResourceRequest();
  request.setType(json.type as string);
  request.setName(json.name as string);
  request.setParent((json.parent as string) ?? "");
  request.setCustom(Boolean(json.custom));
  request.setObject(toStruct((json.object as PropertyMap) ?? {}));
  request.setProvider((json.provider as string) ?? "");
  request.setVersion((json.version as string) ?? "");
  request.setDeletedwith((json.deletedWith as string) ?? "");
  request.setAliasspecs(Boolean(json.aliasSpecs));
  request.setDependenciesList((json.dependencies as string[]) ?? []);
  request.setIgnorechangesList((json.ignoreChanges as string[]) ?? []);
  request.setAdditionalsecretoutputsList((json.additionalSecretOutputs as string[]) ?? []);
  const timeouts = new resource.RegisterResourceRequest.CustomTimeouts();
  timeouts.setCreate((json.customTimeouts as { create?: string } | undefined)?.create ?? "");
  request.setCustomtimeouts(timeouts);
  for (const [key, { urns = [] }] of Object.entries(
    (json.propertyDependencies ?? {}) as Record<string, { urns?: string[] }>,
  )) {
    const dependencies = new resource.RegisterResourceRequest.PropertyDependencies();
    dependencies.setUrnsList(urns);
    request.getPropertydependenciesMap().set(key, dependencies);
  }
  for (const [name, reference] of Object.entries(
    (json.providers ?? {}) as Record<string, string>,
  )) {
    request.getProvidersMap().set(name, reference);
  }
  type Spec = { type?: string; parentUrn?: string; noParent?: boolean };
  for (const { spec } of (json.aliases ?? []) as { spec: Spec }[]) {
    const alias = new aliasProtos.Alias();
    const message = new aliasProtos.Alias.Spec();
    message.setType(spec.type ?? "");
    if (spec.parentUrn !== undefined) message.setParenturn(spec.parentUrn);
    if (spec.noParent !== undefined) message.setNoparent(spec.noParent);
    alias.setSpec(message);
    request.addAliases(alias);
  }
  for (const { token } of (json.transforms ?? []) as { token: string }[]) {
    const message = new callback.Callback();
    message.setTarget(callbackAddress);
    message.setToken(token);
    request.addTransforms(message);
  }
  return request;
}

/** Returns the part of a transform's request in which the two engines must agree. */
function transformRequest(bytes: Uint8Array): unknown {
  const request = resource.TransformRequest.deserializeBinary(bytes);
  const options = request.getOptions();
  return sorted({
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    parent: request.getParent(),
    properties: fromStruct(request.getProperties()),
    dependsOn: options?.getDependsOnList(),
    provider: options?.getProvider(),
    providers: [...(options?.getProvidersMap().entries() ?? [])],
    aliases: options?.getAliasesList().map((alias) => alias.toObject()),
    ignoreChanges: options?.getIgnoreChangesList(),
    additionalSecretOutputs: options?.getAdditionalSecretOutputsList(),
    customTimeouts: options?.getCustomTimeouts()?.toObject(),
    deletedWith: options?.getDeletedWith(),
    version: options?.getVersion(),
    protect: options?.getProtect(),
  });
}

const transformed: { ours: unknown; theirs: unknown }[] = [];
let callbackAddress = "";
let callbackServer: Server;
let monitor: Monitor;
let snapshot: Snapshot;
const replies: { ours: PropertyMap; theirs: PropertyMap }[] = [];

beforeAll(async () => {
  callbackServer = new Server();
  const recordedCallbacks = callsTo("Invoke").values();
  callbackServer.addService(callbackGrpc.CallbacksService, {
    // The program returns its recorded response, with the names of this run.
    invoke(
      call: { request: { getRequest_asU8(): Uint8Array } },
      reply: (error: null, response: unknown) => void,
    ) {
      const next = recordedCallbacks.next().value as Recorded;
      const theirs = transformRequest(Buffer.from(next.request.request as string, "base64"));
      transformed.push({
        ours: transformRequest(call.request.getRequest_asU8()),
        theirs: renamed(theirs),
      });
      const response = new callback.CallbackInvokeResponse();
      response.setResponse(
        withNames(Buffer.from((next.response as { response: string }).response, "base64")),
      );
      reply(null, response);
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    callbackServer.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  callbackAddress = `127.0.0.1:${port}`;

  snapshot = await Snapshot.read(undefined, { passphrase: () => "x" });
  const stack = { project: "proj", stack: "dev", preview: false, parallel: 8, snapshot };
  const deployment = await Deployment.begin({
    ...stack,
    plugins: { kubernetes: plugin },
    packageConfig: () => ({}),
    emit: () => {},
  });
  monitor = new Monitor({
    ...stack,
    organization: "organization",
    config: { "proj:replicas": "3", "proj:token": "s3cr3t" },
    secretKeys: ["proj:token"],
    deployment,
  });
  for (const { request, response = {} } of callsTo("RegisterResource")) {
    const answer = await monitor.registerResource(registerRequest(renamed(request)));
    const ours = {
      urn: answer.getUrn(),
      ...(answer.getId() && { id: answer.getId() }),
      object: fromStruct(answer.getObject()),
    };
    learnNames(response, ours);
    replies.push({ ours, theirs: renamed(response) });
  }
  for (const { request } of callsTo("RegisterResourceOutputs")) {
    const message = new resource.RegisterResourceOutputsRequest();
    message.setUrn(request.urn as string);
    message.setOutputs(toStruct(renamed(request.outputs) as PropertyMap));
    await monitor.registerResourceOutputs(message);
  }
});

afterAll(() => {
  monitor.close();
  callbackServer.forceShutdown();
});

/** A recorded transform response with the provider's reference and the names of this run. */
function withNames(bytes: Uint8Array): Uint8Array {
  const response = resource.TransformResponse.deserializeBinary(bytes);
  response.setProperties(toStruct(renamed(fromStruct(response.getProperties()))));
  const options = response.getOptions();
  options?.setProvider(renamed(options.getProvider()));
  const providers = [...(options?.getProvidersMap().entries() ?? [])];
  for (const [key, reference] of providers) options?.getProvidersMap().set(key, renamed(reference));
  return response.serializeBinary();
}

describe("a recorded update, replayed", () => {
  test("registrations get the same responses", () => {
    expect(replies).toHaveLength(5);
    for (const { ours, theirs } of replies) expect(ours).toEqual(theirs);
  });

  test("transforms receive the same requests", () => {
    expect(transformed).toHaveLength(3);
    for (const { ours, theirs } of transformed) expect(ours).toEqual(theirs);
  });

  test("the provider receives the same checks and creates", () => {
    const checks = callsTo("Check").map(({ request, response }) =>
      renamed({ urn: request.urn, news: request.news, inputs: response?.inputs }),
    );
    expect(asked.check).toEqual(checks);
    const creates = callsTo("Create").map(({ request: { urn, properties, timeout } }) =>
      renamed({ urn, properties, ...(timeout !== undefined && { timeout }) }),
    );
    expect(asked.create).toEqual(creates);
  });

  test("the program receives the same data about the stack", () => {
    const [call] = callsTo("GetDeploymentInfo");
    const info = monitor.getDeploymentInfo();
    expect({
      project: info.getProject(),
      stack: info.getStack(),
      organization: info.getOrganization(),
      config: Object.fromEntries(info.getConfigMap().entries()),
      configSecretKeys: info.getConfigsecretkeysList(),
      parallel: info.getParallel(),
    }).toEqual(
      Object.fromEntries(
        ["project", "stack", "organization", "config", "configSecretKeys", "parallel"].map(
          (key) => [key, call?.response?.[key]],
        ),
      ),
    );
  });

  test("the same resources are stored, with the same references", async () => {
    const exported = JSON.parse(
      readFileSync(new URL("./fixtures/recorded/export.json", import.meta.url), "utf8"),
    );
    const secrets = await openSecrets(() => "x", exported.deployment.secrets_providers.state.salt);
    const theirs = fromCheckpoint(exported, secrets).resources;
    // Times, and positions in sources, differ between runs.
    const comparable = (resource: (typeof theirs)[number]) => {
      const { created, modified, sourcePosition, stackTrace, ...rest } =
        resource as typeof resource & {
          stackTrace?: unknown;
        };
      return { inputs: {}, ...rest };
    };
    expect(snapshot.resources.map(comparable)).toEqual(renamed(theirs.map(comparable)));
    const present = new Set(snapshot.resources.map(({ urn }) => urn));
    for (const stored of snapshot.resources) {
      for (const urn of referencesOf(stored)) expect(present).toContain(urn);
    }
  });
});
