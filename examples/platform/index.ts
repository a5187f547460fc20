import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceControllers, InferenceCrds } from "pulumi-inference";
import { Gateway } from "pulumi-inference/kubernetes";

const config = new pulumi.Config();
const system = config.get("system") ?? "inference-system";
const namespace = config.get("namespace") ?? "default";
const gatewayClassName = config.get("gatewayClass") ?? "agentgateway";
const registry = config.getSecretObject<{ server: string; username: string; password: string }>(
  "registry",
);

// CRDs come first: resources that the program creates later wait for them.
new InferenceCrds("crds");

const systemNamespace = new k8s.core.v1.Namespace("system", { metadata: { name: system } });

// The controllers write the statuses of services, pools and models. Like every picker, they run the image that
// `pulumi-inference:image` sets.
const controllers = new InferenceControllers(
  "controllers",
  { metadata: { namespace: system } },
  { dependsOn: systemNamespace },
);

// Services attach their routes here: `httproute: { parentRefs: [{ name: "inference-gateway" }] }`.
const gateway = new Gateway("inference-gateway", {
  metadata: { name: "inference-gateway", namespace },
  spec: {
    gatewayClassName,
    listeners: [
      {
        name: "http",
        port: 80,
        protocol: "HTTP",
        allowedRoutes: { namespaces: { from: "All" } },
      },
    ],
  },
});

/** Returns the content of a Secret of type kubernetes.io/dockerconfigjson. */
const dockerConfig = (login: { server: string; username: string; password: string }) => ({
  auths: {
    [login.server]: {
      username: login.username,
      password: login.password,
      auth: Buffer.from(`${login.username}:${login.password}`).toString("base64"),
    },
  },
});

// If the registry needs a login, each namespace with pods of this project's image gets a Secret.
if (registry !== undefined) {
  const stringData = { ".dockerconfigjson": pulumi.jsonStringify(registry.apply(dockerConfig)) };
  for (const place of new Set([system, namespace])) {
    new k8s.core.v1.Secret(
      `registry-${place}`,
      {
        metadata: { name: "registry", namespace: place },
        type: "kubernetes.io/dockerconfigjson",
        stringData,
      },
      { dependsOn: systemNamespace },
    );
  }
}

export const gatewayName = gateway.metadata.name;
export const controllerAccount = controllers.nodes.statusController.serviceAccount?.metadata.name;
