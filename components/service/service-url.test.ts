import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, it } from "vitest";
import { InferenceService, type RoleArgs, type RouterRoleArgs } from "../index.ts";
import { Gateway } from "../kubernetes/index.ts";

/** The values of `url` in a program, with Pulumi's mocks: a Gateway has the status that the provider last read. */

const worker: RoleArgs = {
  name: "inference",
  componentType: "worker",
  template: {
    spec: {
      containers: [{ name: "vllm", args: ["--model", "m"], ports: [{ containerPort: 8000 }] }],
    },
  },
};
type Router = Omit<RouterRoleArgs, "name" | "componentType">;
const gateway = {
  gatewayClassName: "agentgateway",
  listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
};

async function outputsOf(router: Router | undefined, status?: object, preview = false) {
  const { service } = await deployed(router, status, preview);
  return { url: await known(service.url), urlStatus: await known(service.urlStatus) };
}

async function deployed(router: Router | undefined, status?: object, preview = false) {
  // Pending requests of the previous program must reach its own mocks.
  await pulumi.runtime.disconnect();
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, id, inputs }) => ({
        id: id ?? `${name}-id`,
        state: type.endsWith(":Gateway") ? { ...shared(id), ...inputs, status } : inputs,
      }),
      call: () => ({}),
    },
    "project",
    "stack",
    preview,
  );
  const roles: RoleArgs[] = [worker];
  if (router !== undefined) roles.push({ name: "router", componentType: "router", ...router });
  return { service: new InferenceService("qwen", { roles }) };
}

/** A Gateway that is only read has no inputs. */
const shared = (id: string | undefined) =>
  id ? { metadata: { namespace: "infra", name: "shared" }, spec: gateway } : {};

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T | "unknown">((resolve) => {
    void (output as unknown as { isKnown: Promise<boolean> }).isKnown.then((isKnown) =>
      isKnown ? output.apply(resolve) : resolve("unknown"),
    );
  });

afterEach(() => pulumi.runtime.disconnect());

const addresses = [{ type: "IPAddress", value: "203.0.113.7" }];

it("url contains the Gateway's address and the route's path", async () => {
  expect(await outputsOf({ gateway }, { addresses })).toEqual({
    url: "http://203.0.113.7/v1",
    urlStatus: "served by Gateway default/qwen-gateway",
  });
  const httproute = {
    hostnames: ["llm.example.com"],
    rules: [{ matches: [{ headers: [{ name: "x-team", value: "games" }] }] }],
  };
  expect(await outputsOf({ gateway, httproute }, { addresses })).toEqual({
    url: "http://llm.example.com/v1",
    urlStatus: "served by Gateway default/qwen-gateway, with x-team: games",
  });
});

const goOn =
  "`pulumi up --refresh` reads it again, and `npx pulumi-inference request qwen` works without one";
const notProgrammed = {
  conditions: [
    { type: "Accepted", status: "True", message: "fine" },
    { type: "Programmed", status: "False", message: "no address was assigned" },
  ],
};
it.each([
  [
    "no controller has looked",
    undefined,
    `waits for an address of Gateway default/qwen-gateway: no controller of GatewayClass agentgateway had accepted it at the last read; ${goOn}`,
  ],
  [
    "the controller says what it waits for",
    notProgrammed,
    `waits for an address of Gateway default/qwen-gateway: Programmed is False, no address was assigned; ${goOn}`,
  ],
])(
  "url is undefined while %s, and urlStatus names the missing part",
  async (_, status, urlStatus) => {
    expect(await outputsOf({ gateway }, status)).toEqual({ url: undefined, urlStatus });
  },
);

it("urlStatus has the reason if an address is not enough", async () => {
  const httproute = { rules: [{ matches: [{ method: "GET" }] }] };
  expect(await outputsOf({ gateway, httproute }, { addresses })).toMatchObject({
    url: undefined,
    urlStatus: expect.stringContaining("none of its listeners accepts POST /v1/chat/completions"),
  });
});

it("url is undefined without a Gateway of the service, and urlStatus names urlThrough", async () => {
  expect(await outputsOf(undefined)).toEqual({
    url: undefined,
    urlStatus: "the service has no route: give it a router role with gateway or httproute",
  });
  const { service } = await deployed(
    { httproute: { parentRefs: [{ name: "shared", namespace: "infra" }] } },
    { addresses },
  );
  expect(await known(service.url)).toBeUndefined();
  expect(await known(service.urlStatus)).toBe(
    'the route attaches to Gateway infra/shared, which the service does not create: urlThrough(Gateway.get("gateway", "infra/shared")) has the URL, and `npx pulumi-inference request qwen` finds it',
  );
  const read = Gateway.get("shared", "infra/shared");
  expect(await known(service.urlThrough(read))).toBe("http://203.0.113.7/v1");
});

it("url is unknown in a preview that creates the Gateway", async () => {
  expect(await outputsOf({ gateway }, undefined, true)).toEqual({
    url: "unknown",
    urlStatus: "unknown",
  });
});
