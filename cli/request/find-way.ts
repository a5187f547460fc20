import type { KubeConfig } from "@kubernetes/client-node";
import type { ParentRef } from "../../kubernetes/kinds/gateway-references.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import { httpRouteName } from "../../sdk/names.ts";
import { chatUrls, type ServedGateway, type ServedRoute } from "../../sdk/routing/chat-urls.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import type { Way } from "./exchange.ts";
import { RequestFailure } from "./failure.ts";
import { type GatewayPod, gatewayPod } from "./gateway-pod.ts";
import { forwardPort } from "./port-forward.ts";

/** A way that must be closed. */
export type OpenWay = Way & AsyncDisposable;

/**
 * Finds the way of a client to a service: the address of a Gateway that its route attaches to, otherwise a
 * port-forward to the pod of such a Gateway.
 *
 * @throws RequestFailure if there is no way to the service
 */
export async function findWay(
  api: ApiReader,
  config: KubeConfig,
  namespace: string,
  service: string,
): Promise<OpenWay> {
  const route = await routeOf(api, namespace, service);
  const gateways = await gatewaysOf(api, namespace, service, route);
  for (const { title, gateway } of gateways) {
    const [found] = chatUrls(route, gateway);
    if (found === undefined) continue;
    const { url, address, port, headers } = found;
    const host = address.replace(/^\[|\]$/g, "");
    return {
      url,
      dial: { host, port },
      headers,
      through: title,
      [Symbol.asyncDispose]: async () => {},
    };
  }
  for (const { title, location, gateway } of gateways) {
    const [found] = chatUrls(route, {
      ...gateway,
      status: { addresses: [{ value: "127.0.0.1" }] },
    });
    const pod = found && (await gatewayPod(api, location, found.port));
    if (found !== undefined && pod !== undefined) return forwarded(config, found, pod, title);
  }
  throw new RequestFailure(noWay(gateways, service));
}

async function forwarded(
  config: KubeConfig,
  { url, headers }: { url: string; headers: Way["headers"] },
  pod: GatewayPod,
  title: string,
): Promise<OpenWay> {
  const forward = await forwardPort(config, pod);
  const through = `${title}, which has no address, through a port-forward to pod ${pod.namespace}/${pod.name}`;
  return {
    url,
    dial: { host: "127.0.0.1", port: forward.port },
    headers,
    through,
    [Symbol.asyncDispose]: () => forward.close(),
  };
}

async function routeOf(api: ApiReader, namespace: string, service: string): Promise<ServedRoute> {
  const name = httpRouteName(service);
  const seen = await api.get<ServedRoute>(objectPath(kinds.HTTPRoute, { namespace, name }));
  if (seen.state === "seen") return seen.value;
  const what = `HTTPRoute ${namespace}/${name}`;
  throw new RequestFailure(
    seen.state === "absent"
      ? `${what} does not exist; name a service whose router has gateway or httproute, its namespace with -n, or the URL with --url`
      : `${what} cannot be read: ${seen.why}; set the URL with --url`,
  );
}

interface FoundGateway {
  readonly title: string;
  readonly location: { readonly namespace: string; readonly name: string };
  readonly gateway: ServedGateway & {
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

async function gatewaysOf(
  api: ApiReader,
  own: string,
  service: string,
  { spec }: ServedRoute,
): Promise<FoundGateway[]> {
  const isGateway = ({ group = kinds.Gateway.group, kind = "Gateway" }: ParentRef) =>
    group === kinds.Gateway.group && kind === "Gateway";
  const parents = (spec.parentRefs ?? []).filter(isGateway);
  if (parents.length === 0)
    throw new RequestFailure(
      `the route of ${service} attaches to no Gateway; give the router gateway or httproute.parentRefs, or set the URL with --url`,
    );
  const problems: string[] = [];
  const found: FoundGateway[] = [];
  for (const { namespace = own, name } of parents) {
    const title = `Gateway ${namespace}/${name}`;
    const path = objectPath(kinds.Gateway, { namespace, name });
    const seen = await api.get<FoundGateway["gateway"]>(path);
    if (seen.state === "seen")
      found.push({ title, location: { namespace, name }, gateway: seen.value });
    else
      problems.push(
        `${title} ${seen.state === "absent" ? "does not exist" : `cannot be read: ${seen.why}`}`,
      );
  }
  if (found.length > 0) return found;
  throw new RequestFailure(
    `${problems.join("; ")}; create it, name another in httproute.parentRefs, or set the URL with --url`,
  );
}

function noWay(gateways: readonly FoundGateway[], service: string): string {
  const states = gateways.map(({ title, gateway: { status = {} } }) => {
    if (status.addresses?.length)
      return `${title} has an address, but no listener accepts POST /v1/chat/completions through the route of ${service}`;
    const wrong = status.conditions?.find(
      ({ status: holds, message }) => holds === "False" && message,
    );
    return `${title} has no address and no pod to forward to${wrong === undefined ? "" : ` (${wrong.type} is False: ${wrong.message})`}`;
  });
  return `${states.join("; ")}; is its controller installed (npx pulumi-inference doctor, kubectl describe gateway)? use --url for another address`;
}
