import * as pulumi from "@pulumi/pulumi";
import {
  addressOf,
  chatUrls,
  type ServedGateway,
  type ServedRoute,
} from "../../sdk/routing/chat-urls.ts";
import type { GatewayStatus } from "../kubernetes/gateway.ts";
import type { InferenceServiceNodes } from "./inference-service-node-keys.ts";

/** Gateway of a program: created by it, or read with `Gateway.get`. */
export interface GatewayResource {
  readonly metadata: pulumi.Output<{ readonly name: string; readonly namespace: string }>;
  readonly spec: pulumi.Output<unknown>;
  readonly status: pulumi.Output<GatewayStatus | undefined>;
}

/** Base URL of a service's OpenAI API, or undefined with the reason. */
interface Reached {
  readonly url: string | undefined;
  readonly urlStatus: string;
}

type Nodes = Pick<InferenceServiceNodes, "gateway" | "route">;

/** Returns the URL behind a Gateway that the service does not create. */
export const urlThrough = (gateway: GatewayResource, { route }: Nodes) =>
  route === undefined
    ? pulumi.output<string | undefined>(undefined)
    : reachedThrough("", gateway, route).apply(({ url }) => url);

/**
 * Returns the outputs `url` and `urlStatus`, from the Gateway's resource, without waiting. While a Gateway is new, both
 * are unknown in a preview; afterwards `url` is undefined and `urlStatus` contains the reason.
 */
export function reachedByOwnGateway(
  service: string,
  { gateway, route }: Nodes,
): pulumi.Output<Reached> {
  if (route === undefined)
    return unreached("the service has no route: give it a router role with gateway or httproute");
  if (gateway !== undefined) return reachedThrough(service, gateway, route);
  return pulumi
    .all([route.metadata, route.spec])
    .apply(([{ namespace }, spec]) => elsewhere(service, namespace, spec as ServedRoute["spec"]));
}

const unreached = (urlStatus: string) => pulumi.output<Reached>({ url: undefined, urlStatus });

function elsewhere(
  service: string,
  own: string,
  { parentRefs = [] }: ServedRoute["spec"],
): Reached {
  const parents = parentRefs.map(({ namespace = own, name }) => `${namespace}/${name}`);
  const first = parents[0] ?? "namespace/name";
  return {
    url: undefined,
    urlStatus:
      `the route attaches to Gateway ${parents.join(" and ")}, which the service does not create: ` +
      `urlThrough(Gateway.get("gateway", "${first}")) has the URL, and \`npx pulumi-inference request ${service}\` finds it`,
  };
}

const reachedThrough = (
  service: string,
  { metadata, spec, status }: GatewayResource,
  route: NonNullable<Nodes["route"]>,
): pulumi.Output<Reached> =>
  pulumi
    .all([metadata, spec, status, route.spec])
    .apply(([{ namespace, name }, gatewaySpec, gatewayStatus, routeSpec]) => {
      const gateway = {
        metadata: { name },
        spec: gatewaySpec,
        status: gatewayStatus,
      } as ServedGateway;
      const [first] = chatUrls({ spec: routeSpec } as ServedRoute, gateway);
      const title = `Gateway ${namespace}/${name}`;
      if (first === undefined)
        return {
          url: undefined,
          urlStatus:
            addressOf(gateway) === undefined
              ? awaited(service, title, gatewaySpec, gatewayStatus)
              : `${title} has an address, but none of its listeners accepts POST /v1/chat/completions through this route`,
        };
      const headers = Object.entries(first.headers).map(([key, value]) => `${key}: ${value}`);
      const needs = headers.length === 0 ? "" : `, with ${headers.join(" and ")}`;
      return { url: first.url, urlStatus: `served by ${title}${needs}` };
    });

function awaited(
  service: string,
  title: string,
  spec: unknown,
  { conditions = [] }: GatewayStatus = {},
): string {
  const wrong = conditions.find(({ status, message }) => status === "False" && message);
  const className = (spec as { gatewayClassName?: string }).gatewayClassName;
  const why =
    conditions.length === 0
      ? `no controller of GatewayClass ${className} had accepted it at the last read`
      : `${wrong?.type ?? "Programmed"} is False${wrong === undefined ? "" : `, ${wrong.message}`}`;
  return (
    `waits for an address of ${title}: ${why}; \`pulumi up --refresh\` reads it again, and ` +
    `\`npx pulumi-inference request ${service}\` works without one`
  );
}
