import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { argumentTypes } from "../scripts/argument-types.ts";
import { componentArguments } from "../sdk/spec/components.ts";

/**
 * The component in other languages: Pulumi's component provider host serves it, and Pulumi's analyzer reads its schema
 * from the TypeScript source, or from declarations without unions if the source has unions.
 */
const require = createRequire(import.meta.url);
const components = new URL("./index.ts", import.meta.url);
const described = (name: string) => new URL(`./other-languages/${name}.ts`, import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const host = require.resolve("@pulumi/pulumi/provider/experimental");

interface Schema {
  resources: Record<
    string,
    { inputProperties: Record<string, Property>; properties: Record<string, Property> }
  >;
  types: Record<string, { properties?: Record<string, Property>; enum?: Array<{ value: string }> }>;
}
interface Property {
  type?: string;
  $ref?: string;
  plain?: boolean;
  description?: string;
}

const grpc = require("@grpc/grpc-js");
const { ResourceMonitorService } = require("@pulumi/pulumi/proto/resource_grpc_pb");
const { DeploymentInfo } = require("@pulumi/pulumi/proto/resource_pb");

/** Implements the engine's methods that Construct calls before a component registers resources. */
async function startMonitor(): Promise<{ address: string; stop(): void }> {
  const server = new grpc.Server();
  server.addService(ResourceMonitorService, {
    getDeploymentInfo: (_: unknown, answer: (error: null, info: unknown) => void) =>
      answer(null, new DeploymentInfo()),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      "127.0.0.1:0",
      grpc.ServerCredentials.createInsecure(),
      (error: Error | null, bound: number) => (error ? reject(error) : resolve(bound)),
    ),
  );
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

let directory: string;
let monitor: Awaited<ReturnType<typeof startMonitor>>;
let provider: ChildProcess;
let client: Record<
  string,
  (request: unknown, answer: (error: unknown, value: never) => void) => void
>;

/** Interfaces that are generated from the schemas. */
const generatedTypes = [...argumentTypes().matchAll(/^export interface (\w+)/gm)].map(
  ([, name]) => name as string,
);

const others =
  "InferencePool, SharedEndpointPicker, LLMService, InferenceModelRewrite, InferenceObjective, InferenceRoute, ModelRouter, ServiceObjectives, InferenceControllers, InferenceCrds, ImportedInferencePool, ClusterSet, ClusterSetMember";
const names = `InferenceService, ModelServing, LLMServerPool, ${others}`;

const call = <T>(method: string, request: unknown) =>
  new Promise<T>((resolve, reject) =>
    client[method]?.(request, (error, value) => (error ? reject(error) : resolve(value))),
  );

beforeAll(async () => {
  monitor = await startMonitor();
  directory = await mkdtemp(join(tmpdir(), "component-provider-"));
  await writeFile(
    join(directory, "index.ts"),
    // The first class of a name counts, so the classes with a separate form for other languages are first.
    [
      `export { InferenceService } from "${fileURLToPath(described("inference-service"))}";`,
      `export { ModelServing } from "${fileURLToPath(described("model-serving"))}";`,
      `export { LLMServerPool } from "${fileURLToPath(described("llm-server-pool"))}";`,
      `export { ${others} } from "${fileURLToPath(components)}";`,
      "",
    ].join("\n"),
  );
  await writeFile(
    join(directory, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
      include: [],
      files: ["index.ts"],
    }),
  );
  await writeFile(join(directory, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(
    join(directory, "host.ts"),
    `import provider from "${host}";
import { ${names} } from "${components}";
await provider.componentProviderHost({
  name: "inference", version: "0.1.0", dirname: "${directory}", components: [${names}],
});
`,
  );
  provider = spawn(process.execPath, [join(directory, "host.ts"), monitor.address], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = (await once(provider.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
  client = new ResourceProviderClient(
    `127.0.0.1:${String(port).trim()}`,
    grpc.credentials.createInsecure(),
  );
});

afterAll(async () => {
  provider.kill();
  monitor.stop();
  await rm(directory, { recursive: true, force: true });
});

describe("schema", () => {
  let schema: Schema;
  beforeAll(async () => {
    const { GetSchemaRequest } = require("@pulumi/pulumi/proto/provider_pb");
    const answer = await call<{ getSchema(): string }>("getSchema", new GetSchemaRequest());
    schema = JSON.parse(answer.getSchema());
  });

  const typed = (name: string) => schema.types[`inference:index:${name}`];
  const propertiesOf = (name: string) => typed(name)?.properties ?? {};

  it.each([
    ...Object.entries(componentArguments)
      // A component of components is available only in TypeScript: its arguments contain providers.
      .filter(([name]) => name !== "MultiClusterInferenceService")
      .map(([name, { shape }]) => [name, Object.keys(shape)] as const),
    ["InferenceCrds", ["existing", "personas"]] as const,
  ])("has %s with its arguments", (name, properties) => {
    const component = schema.resources[`inference:index:${name}`];
    expect(Object.keys(component?.inputProperties ?? {})).toEqual(properties);
  });

  it("has the outputs of a service", () => {
    const component = schema.resources["inference:index:InferenceService"];
    expect(Object.keys(component?.properties ?? {})).toEqual([
      "serviceName",
      "namespace",
      "poolName",
      "url",
      "urlStatus",
      "readiness",
      "endpoints",
      "components",
    ]);
  });

  it("has enumerations for closed lists of values", () => {
    expect(typed("ComponentType")?.enum?.map(({ value }) => value)).toEqual([
      "worker",
      "prefiller",
      "decoder",
      "router",
    ]);
    for (const name of [
      "RoutingStrategy",
      "Executor",
      "FailureMode",
      "GangLayout",
      "WorkloadMode",
    ]) {
      expect(typed(name)?.enum?.length, name).toBeGreaterThan(1);
    }
  });

  it("distinguishes plain arguments from arguments that may be Outputs", () => {
    const role = propertiesOf("RoleArgs");
    expect(role.replicas).toMatchObject({ type: "number", plain: true });
    expect(role.image?.plain).toBeUndefined();
    const container = propertiesOf("ContainerArgs");
    expect(container.ports?.plain).toBe(true);
    expect(container.env?.plain).toBeUndefined();
  });

  it("describes every argument of this project", () => {
    const ours = generatedTypes.filter((name) => typed(name)?.properties !== undefined);
    expect(ours.length).toBeGreaterThan(40);
    for (const name of ours) {
      // The fields of a Gateway, except its type, are defined by Kubernetes.
      for (const [property, { description }] of Object.entries(propertiesOf(name)))
        if (name !== "RouterGatewayArgs" || property === "type")
          expect(description, `${name}.${property}`).toBeTruthy();
    }
  });
});

describe("Construct", () => {
  it("refuses invalid arguments with every problem and its path", async () => {
    const { ConstructRequest } = require("@pulumi/pulumi/proto/provider_pb");
    const { InputPropertiesError } = require("@pulumi/pulumi/proto/errors_pb");
    const { Status } = require("@pulumi/pulumi/proto/status_pb");
    const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
    const request = new ConstructRequest();
    request.setProject("p");
    request.setStack("s");
    request.setMonitorendpoint(monitor.address);
    request.setType("inference:index:InferenceService");
    request.setName("bad");
    request.setInputs(
      Struct.fromJavaScript({ roles: [{ name: "W!", componentType: "wrker" }], waitFor: "x" }),
    );
    const error = await call("construct", request).then(
      () => undefined,
      (refused) => refused,
    );
    expect(error.details).toMatch(
      /^InferenceService "bad": \d problems\n(.*\n)* {2}waitFor: is "x"; allowed/,
    );
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    const [detail] = Status.deserializeBinary(bytes).getDetailsList();
    const problems = InputPropertiesError.deserializeBinary(detail.getValue_asU8()).getErrorsList();
    expect(
      problems.map((problem: { getPropertyPath(): string }) => problem.getPropertyPath()),
    ).toEqual(expect.arrayContaining(["waitFor", "roles[0].componentType", "roles[0].name"]));
  });
});
