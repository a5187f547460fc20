import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { isMap, listOf } from "../../../kubernetes/values/records.ts";
import { gatewayKinds } from "../../gateways/index.ts";
import { matchesExpressions } from "../../placement/node-affinity.ts";
import { routeKind } from "../../stack/pools.ts";
import type { RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import type { PodTemplateUse } from "../../stack/workloads.ts";
import { gatewayOfParent, type Parent } from "../helpers/route-gateways.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

/** Rules on the credentials of a gateway's clients, and on connections that a NetworkPolicy closes. */

const { objectRule, stackRule } = rulesOfPack("inference-routing");

type Values = Readonly<Record<string, unknown>>;

/** Fields of the gateways' policies with credentials, from the spec, and the fields of each token issuer. */
const policies: Readonly<
  Record<string, { readonly keys: Steps; readonly issuers: Steps; readonly keysUrl: Steps }>
> = {
  [groupKind(gatewayKinds.SecurityPolicy)]: {
    keys: ["apiKeyAuth"],
    issuers: ["jwt", "providers"],
    keysUrl: ["remoteJWKS", "uri"],
  },
  [groupKind(gatewayKinds.AgentgatewayPolicy)]: {
    keys: ["traffic", "apiKeyAuthentication"],
    issuers: ["traffic", "jwtAuthentication", "providers"],
    keysUrl: ["jwks", "remote", "url"],
  },
  [groupKind(gatewayKinds.RequestAuthentication)]: {
    keys: ["apiKeys"],
    issuers: ["jwtRules"],
    keysUrl: ["jwksUri"],
  },
};

type Steps = readonly string[];

const at = (value: unknown, steps: Steps): unknown =>
  steps.reduce((inner: unknown, step) => (isMap(inner) ? inner[step] : undefined), value);

const fieldsOf = ({ object }: TypedObject<Values>) =>
  policies[object.kind] as (typeof policies)[string];

const eachAccessPolicy: Subjects<TypedObject<Values>> = {
  of: (stack) => specsOf<Values>(stack, ...Object.keys(policies)),
  needsPods: false,
};

const tokensAreForThisProgram = objectRule(
  { id: "tokens-are-for-this-program", code: "conflict", level: "advisory" },
  {
    title:
      "A gateway's policy names the audiences of accepted tokens and reads the issuer's keys by https",
    why: "An issuer such as accounts.google.com signs tokens for every program. Without audiences each of these tokens is valid here. Keys that are read by http can be replaced on the way.",
    source:
      "RFC 8725, section 3.9: use and validate audience; Istio, Envoy Gateway and agentgateway: JWT",
    fix: "Set audiences, and an https URL of the keys.",
  },
  eachAccessPolicy,
  function* (policy) {
    const { issuers, keysUrl } = fieldsOf(policy);
    for (const [index, issuer] of listOf(at(policy.spec, issuers)).entries()) {
      const path = [...policy.path, ...issuers, index];
      if (listOf(at(issuer, ["audiences"])).length === 0)
        yield {
          path: [...path, "audiences"],
          given: "is missing, so tokens that the issuer made for other programs are accepted too",
          allowed: "the audiences of this program",
          fix: "Set audiences.",
        };
      const url = at(issuer, keysUrl);
      if (typeof url === "string" && !url.startsWith("https://"))
        yield {
          path: [...path, ...keysUrl],
          given: `is ${JSON.stringify(url)}`,
          allowed: "an https URL",
          fix: "Use https, so that nothing can replace the issuer's keys on the way.",
        };
    }
  },
);

/** Listeners without TLS through which requests reach the target of a policy. */
function plainListeners(policy: TypedObject<Values>, stack: Stack): string[] {
  const targets = [...listOf(policy.spec.targetRefs), policy.spec.targetRef].filter(isMap);
  const routes = specsOf<RouteShape>(stack, routeKind);
  const parents = targets.flatMap((target) =>
    target.kind === "Gateway"
      ? [{ ...target, namespace: policy.namespace }]
      : routes
          .filter(({ name, namespace }) => name === target.name && namespace === policy.namespace)
          .flatMap(({ spec, namespace }) =>
            (spec.parentRefs ?? []).map((parent) => ({ namespace, ...parent })),
          ),
  ) as Array<Parent & { readonly sectionName?: unknown }>;
  return parents.flatMap((parent) => {
    const { name, namespace, spec } = gatewayOfParent(parent, policy.namespace, stack) ?? {};
    return (spec?.listeners ?? [])
      .filter((listener) => (parent.sectionName ?? listener.name) === listener.name)
      .filter(({ protocol }) => protocol === "HTTP")
      .map((listener) => `${namespace}/${name}:${listener.name}`);
  });
}

const credentialsTravelByTls = stackRule(
  { id: "credentials-travel-by-tls", code: "conflict", level: "advisory" },
  {
    title: "Clients send API keys and tokens by TLS",
    why: "A listener of protocol HTTP receives credentials in plain text. Everyone on the way can read and use them.",
    source: "RFC 6750, section 5.3: TLS must be used with bearer tokens",
    fix: "Use listeners of protocol HTTPS, or name an HTTPS listener in sectionName of the route's parentRefs. If a load balancer in front terminates TLS, ignore this finding.",
  },
  eachAccessPolicy,
  function* (policy, { stack }) {
    const { keys, issuers } = fieldsOf(policy);
    if (at(policy.spec, keys) === undefined && at(policy.spec, issuers) === undefined) return;
    const listeners = [...new Set(plainListeners(policy, stack))];
    if (listeners.length === 0) return;
    yield {
      path: policy.path,
      given: `restricts clients by credentials, which are sent to ${listeners.join(", ")} in plain text`,
      allowed: "listeners of protocol HTTPS",
      fix: "Set protocol HTTPS with a certificate. If a load balancer in front terminates TLS, ignore this finding.",
    };
  },
);

const monitorKind = groupKind(kinds.PodMonitor);
const policyKind = `${groups.networking}/NetworkPolicy`;

/** Whether a label selector selects labels. An empty one selects all. */
function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as {
    matchLabels?: Readonly<Record<string, string>>;
    matchExpressions?: readonly unknown[];
  };
  const exact = Object.entries(matchLabels).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  return matchesExpressions([...exact, ...matchExpressions], labels);
}

/** The number of a pod's port; undefined if no container has a port of this name, so that Prometheus reads none. */
const portOf = ({ spec }: PodTemplateUse, port: unknown): unknown =>
  typeof port === "number"
    ? port
    : [...(spec.initContainers ?? []), ...spec.containers]
        .flatMap(({ ports = [] }) => ports)
        .find(({ name }) => name === port)?.containerPort;

/** Whether an ingress rule of a policy lets the pods of another namespace connect to a port. */
function admitsScraper(rule: unknown, port: unknown): boolean {
  const { from, ports } = rule as { from?: unknown; ports?: unknown };
  const covers =
    ports === undefined ||
    listOf(ports).some(
      (each) => isMap(each) && (each.port === undefined || each.port === port || each.endPort),
    );
  if (!covers) return false;
  const peers = listOf(from);
  return (
    peers.length === 0 ||
    peers.some(
      (peer) =>
        isMap(peer) &&
        // The picker is a peer of the door for requests, whose other peers are proxies of a gateway.
        !(peers.some((other) => isMap(other) && !("namespaceSelector" in other)) && !isAny(peer)) &&
        ("ipBlock" in peer || ("namespaceSelector" in peer && !("podSelector" in peer))),
    )
  );
}

const isAny = ({ namespaceSelector }: Values): boolean =>
  isMap(namespaceSelector) && Object.keys(namespaceSelector).length === 0;

const monitorsReachTheirPods = stackRule(
  { id: "monitors-reach-their-pods", code: "conflict", level: "advisory" },
  {
    title: "NetworkPolicies let Prometheus read the pods of a PodMonitor",
    why: "Pods that a policy selects accept only the connections that some policy permits. Prometheus then has no metrics, and objectives and autoscalers have no data.",
    source: "Kubernetes, network policies; Prometheus Operator, PodMonitor",
    fix: "Set networkPolicy.scraperNamespaces of the service to the namespace of Prometheus.",
  },
  {
    of: (stack: Stack) => specsOf<Values>(stack, monitorKind),
    needsPods: true,
  } satisfies Subjects<TypedObject<Values>>,
  function* (monitor, { stack }) {
    const monitored = stack
      .everyWorkload()
      .flatMap(({ pods }) => pods)
      .filter(
        ({ workload, labels }) =>
          workload.namespace === monitor.namespace && selects(monitor.spec.selector, labels),
      );
    const closed = specsOf<Values>(stack, policyKind).filter(({ namespace, spec }) =>
      monitored.some(
        ({ workload, labels }) =>
          workload.namespace === namespace && selects(spec.podSelector, labels),
      ),
    );
    const isClosed = (pods: PodTemplateUse, port: unknown) => {
      const number = portOf(pods, port);
      return (
        number !== undefined &&
        closed.length > 0 &&
        !closed.some(({ spec }) => listOf(spec.ingress).some((rule) => admitsScraper(rule, number)))
      );
    };
    for (const [index, endpoint] of listOf(monitor.spec.podMetricsEndpoints).entries()) {
      const port = at(endpoint, ["port"]) ?? at(endpoint, ["portNumber"]);
      const pods = monitored.find((each) => isClosed(each, port));
      if (pods === undefined) continue;
      yield {
        path: [...monitor.path, "podMetricsEndpoints", index],
        given: `reads port ${port} of the pods of ${pods.workload.name}, and NetworkPolicy ${closed.map(({ name }) => name).join(", ")} admits no other namespace there`,
        allowed: "a port that a policy opens for the namespace of Prometheus",
        fix: "Set networkPolicy.scraperNamespaces of the service, or add a policy that admits Prometheus.",
      };
    }
  },
);

export const accessRules: readonly StackRule[] = [
  tokensAreForThisProgram,
  credentialsTravelByTls,
  monitorsReachTheirPods,
];
