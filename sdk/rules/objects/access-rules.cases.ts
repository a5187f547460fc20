import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { route } from "./places.fixture.ts";

const gateway = "Gateway/gateway";
const settings = "ConfigMap/settings";
const quota = "ResourceQuota/gpus";

const object = (name: string, apiVersion: string, kind: string, spec: object): Edit => [
  name,
  "",
  { apiVersion, kind, metadata: { name: "svc", namespace: "ml" }, spec },
];
const targetRefs = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "svc" }];
const envoyGateway = (spec: object) =>
  object(settings, "gateway.envoyproxy.io/v1alpha1", "SecurityPolicy", { targetRefs, ...spec });
const issuer = { name: "login", issuer: "https://login.example", audiences: ["llm"] };
const providers = (...each: object[]) => ({ jwt: { providers: each } });
const istio = (...jwtRules: object[]) =>
  object(settings, "security.istio.io/v1", "RequestAuthentication", {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "gateway" }],
    jwtRules,
  });
const agentgateway = (provider: object) =>
  object(settings, "agentgateway.dev/v1alpha1", "AgentgatewayPolicy", {
    targetRefs,
    traffic: { jwtAuthentication: { providers: [provider] } },
  });
const keys = { apiKeyAuth: { credentialRefs: [{ name: "keys" }] } };

const noAudiences = (path: string) =>
  `${path}: is missing, so tokens that the issuer made for other programs are accepted too; allowed: the audiences of this program. Set audiences.`;
const plain =
  "SecurityPolicy ml/svc: spec: restricts clients by credentials, which are sent to ml/gateway:http in plain text; allowed: listeners of protocol HTTPS. Set protocol HTTPS with a certificate. If a load balancer in front terminates TLS, ignore this finding.";

const tls: Edit = [gateway, "spec listeners 0 protocol", "HTTPS"];
const engines = { matchLabels: { "fusioninfer.io/service": "svc" } };
const monitor = object(settings, "monitoring.coreos.com/v1", "PodMonitor", {
  selector: engines,
  podMetricsEndpoints: [{ port: "http" }],
});
const policy = (...ingress: object[]) =>
  object(quota, "networking.k8s.io/v1", "NetworkPolicy", {
    podSelector: engines,
    policyTypes: ["Ingress"],
    ingress,
  });
const between = { from: [{ podSelector: engines }] };
const named = (name: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
const picker = { podSelector: { matchLabels: { app: "svc-epp" } } };
const port = [{ protocol: "TCP", port: 8000 }];
const closed =
  "PodMonitor ml/svc: spec.podMetricsEndpoints[0]: reads port http of the pods of svc-prefill, and NetworkPolicy svc admits no other namespace there; allowed: a port that a policy opens for the namespace of Prometheus. Set networkPolicy.scraperNamespaces of the service, or add a policy that admits Prometheus.";

export const accessCases: readonly RuleCases[] = [
  {
    rule: "tokens-are-for-this-program",
    allows: {
      "audiences and https": [
        envoyGateway(providers({ ...issuer, remoteJWKS: { uri: "https://login.example/keys" } })),
      ],
      "API keys": [envoyGateway(keys)],
      "keys in the policy itself": [istio({ ...issuer, jwks: "{}" })],
    },
    refuses: {
      "an issuer of Envoy Gateway without audiences": {
        edits: [envoyGateway(providers(issuer, { ...issuer, audiences: [] }))],
        finds: [noAudiences("SecurityPolicy ml/svc: spec.jwt.providers[1].audiences")],
      },
      "an issuer of Istio without audiences": {
        edits: [istio({ issuer: "https://accounts.google.com" })],
        finds: [noAudiences("RequestAuthentication ml/svc: spec.jwtRules[0].audiences")],
      },
      "keys that agentgateway reads by http": {
        edits: [agentgateway({ ...issuer, jwks: { remote: { url: "http://login/keys" } } })],
        finds: [
          'AgentgatewayPolicy ml/svc: spec.traffic.jwtAuthentication.providers[0].jwks.remote.url: is "http://login/keys"; allowed: an https URL. Use https, so that nothing can replace the issuer\'s keys on the way.',
        ],
      },
    },
  },
  {
    rule: "credentials-travel-by-tls",
    allows: {
      "a listener of protocol HTTPS": [tls, envoyGateway(keys)],
      "a policy without credentials": [envoyGateway({ cors: {} })],
      "a route on the HTTPS listener": [
        [
          gateway,
          "spec listeners",
          [
            { name: "http", port: 80, protocol: "HTTP" },
            { name: "https", port: 443, protocol: "HTTPS" },
          ],
        ],
        [route, "spec parentRefs", [{ name: "gateway", sectionName: "https" }]],
        envoyGateway(keys),
      ],
      "a Gateway of another stack": [
        [route, "spec parentRefs", [{ name: "gateway", namespace: "web" }]],
        envoyGateway(keys),
      ],
    },
    refuses: {
      "API keys by HTTP": { edits: [envoyGateway(keys)], finds: [plain] },
      "tokens by HTTP": { edits: [envoyGateway(providers(issuer))], finds: [plain] },
      "tokens by HTTP behind Istio": {
        edits: [istio(issuer)],
        finds: [plain.replace("SecurityPolicy", "RequestAuthentication")],
      },
    },
  },
  {
    rule: "monitors-reach-their-pods",
    allows: {
      "no policy": [monitor],
      "a door for the scraper's namespace": [
        monitor,
        policy(between, { from: [picker], ports: port }, { from: [named("monitoring")] }),
      ],
      "a door for every namespace": [
        monitor,
        policy(between, { from: [picker, { namespaceSelector: {} }], ports: port }),
      ],
      "a policy of other pods": [
        monitor,
        object(quota, "networking.k8s.io/v1", "NetworkPolicy", {
          podSelector: { matchLabels: { app: "embedder" } },
        }),
      ],
    },
    refuses: {
      "engines that only the picker and the gateway reach": {
        edits: [monitor, policy(between, { from: [picker, named("gateways")], ports: port })],
        finds: [closed],
      },
      "engines that only labelled proxies reach": {
        edits: [
          monitor,
          policy({ from: [{ ...named("gateways"), podSelector: {} }], ports: port }),
        ],
        finds: [closed],
      },
      "a door for another port": {
        edits: [
          monitor,
          policy({ from: [named("monitoring")], ports: [{ protocol: "TCP", port: 9090 }] }),
        ],
        finds: [closed],
      },
    },
  },
];
