import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { argumentTypes } from "../../scripts/argument-types.ts";
import { prerequisiteNames } from "../../sdk/platform/prerequisites.ts";
import { componentArguments } from "../../sdk/spec/components.ts";
import * as components from "../index.ts";

/**
 * The components in other languages: this project's plugin serves them with the generated schema.
 */
const require = createRequire(import.meta.url);
const plugin = new URL("./index.ts", import.meta.url);
const schemaFile = new URL("../../plugin/schema.json", import.meta.url);

interface Schema {
  resources: Record<
    string,
    { inputProperties: Record<string, Property>; properties: Record<string, Property> }
  >;
  types: Record<string, TypeOfSchema>;
}
interface TypeOfSchema {
  description?: string;
  properties?: Record<string, Property>;
  enum?: Array<{ value: string }>;
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

/** Types that are generated from the schemas. */
const generatedTypes = [
  ...argumentTypes().matchAll(/^export interface (\w+?)(?:Args)?(?: |$)/gm),
].map(([, name]) => name as string);

const call = <T>(method: string, request: unknown) =>
  new Promise<T>((resolve, reject) =>
    client[method]?.(request, (error, value) => (error ? reject(error) : resolve(value))),
  );

beforeAll(async () => {
  monitor = await startMonitor();
  directory = await mkdtemp(join(tmpdir(), "component-provider-"));
  const program = join(directory, "plugin.ts");
  await writeFile(
    program,
    `import { servePlugin } from "${plugin}";\nservePlugin(new URL("${schemaFile}"));\n`,
  );
  provider = spawn(process.execPath, ["--conditions=source", program, monitor.address], {
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

  it("has every component", () => {
    const types = Object.values(components)
      .filter((value) => typeof value === "function" && "__pulumiType" in value)
      .map((value) => (value as unknown as { __pulumiType: string }).__pulumiType);
    expect(Object.keys(schema.resources)).toEqual(types.sort());
  });

  it.each([
    ...Object.entries(componentArguments).map(
      ([name, { shape }]) => [name, Object.keys(shape)] as const,
    ),
    ["InferenceCrds", ["existing", "personas"]] as const,
    ["InferencePlatform", [...prerequisiteNames, "registry", "digests"]] as const,
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
    const role = propertiesOf("Role");
    expect(role.replicas).toMatchObject({ type: "integer", plain: true });
    expect(role.image?.plain).toBeUndefined();
    const container = propertiesOf("Container");
    expect(container.ports?.plain).toBe(true);
    expect(container.env?.plain).toBeUndefined();
  });

  it("describes every type, argument and output", () => {
    const types = Object.entries(schema.types);
    expect(types.length).toBeGreaterThan(40);
    for (const [name, { description, properties = {} }] of types) {
      expect(description, name).toBeTruthy();
      for (const [property, described] of Object.entries(properties))
        expect(described.description, `${name}.${property}`).toBeTruthy();
    }
    for (const [name, { inputProperties, properties }] of Object.entries(schema.resources))
      for (const [property, { description }] of Object.entries({
        ...properties,
        ...inputProperties,
      }))
        expect(description, `${name}.${property}`).toBeTruthy();
  });

  it("calls only the arguments that Kubernetes defines fields of Kubernetes", () => {
    const ours = generatedTypes.filter((name) => typed(name)?.properties !== undefined);
    expect(ours.length).toBeGreaterThan(40);
    for (const name of ours.filter((each) => each !== "RouterGateway"))
      for (const [property, { description }] of Object.entries(propertiesOf(name)))
        expect(description, `${name}.${property}`).not.toMatch(/^Field /);
  });

  it("names pages that the npm package contains", () => {
    const pages = JSON.stringify(schema).matchAll(
      /(node_modules\/pulumi-inference\/)?docs\/[\w/-]+\.md/g,
    );
    const found = [...pages].map(([page]) => page);
    expect(found.length).toBeGreaterThan(3);
    for (const page of found) {
      expect(page).toMatch(/^node_modules/);
      expect(existsSync(page.replace("node_modules/pulumi-inference/", "")), page).toBe(true);
    }
  });
});

describe("Construct", () => {
  it("refuses invalid arguments with every problem once, and without details that contain values", async () => {
    const { ConstructRequest } = require("@pulumi/pulumi/proto/provider_pb");
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
    const [title, ...problems] = error.details.split("\n");
    expect(title).toMatch(/^InferenceService "bad": \d problems$/);
    expect(problems).toContainEqual(expect.stringMatching(/^ {2}waitFor: is "x"; allowed/));
    expect(new Set(problems).size).toBe(problems.length);
    expect(error.metadata.get("grpc-status-details-bin")).toEqual([]);
  });
});
